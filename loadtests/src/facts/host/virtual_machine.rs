//! Whether the machine is a virtual one.

use std::fs;

use super::line;

/// Words of firmware that name whose virtual machine it is.
const MAKERS: [(&str, &str); 11] = [
    ("KVM", "KVM"),
    ("QEMU", "QEMU"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Xen", "Xen"),
    ("Virtual Machine", "Hyper-V"),
    ("Parallels", "Parallels"),
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("Alibaba Cloud", "Alibaba Cloud"),
];

/// Whose virtual machine this is; `None` on a machine of its own.
pub(super) fn of_this_machine() -> Option<String> {
    let firmware = ["product_name", "sys_vendor", "board_vendor"]
        .map(|file| line(format!("/sys/class/dmi/id/{file}")).unwrap_or_default());
    let hypervisor = line("/sys/hypervisor/type");
    whose(&firmware.join(" "), hypervisor.as_deref(), &fs::read_to_string("/proc/cpuinfo").ok()?)
}

fn whose(firmware: &str, hypervisor: Option<&str>, cpuinfo: &str) -> Option<String> {
    if let Some(kind) = hypervisor {
        return Some(kind.to_owned());
    }
    let flagged = cpuinfo
        .lines()
        .filter(|line| line.starts_with("flags"))
        .any(|line| line.split_whitespace().any(|flag| flag == "hypervisor"));
    let maker = MAKERS.iter().find(|(word, _)| firmware.contains(word)).map(|(_, name)| *name);
    // Machines of these makers exist without one too: a cloud's bare metal says `Amazon EC2`.
    let bare = cpuinfo.lines().any(|line| line.starts_with("flags")) && !flagged;
    match maker {
        Some(name) if !bare => Some(name.to_owned()),
        None if flagged => Some("yes, of a kind that does not say its name".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firmware_names_it_and_the_processor_flags_it() {
        let (guest, metal) = ("flags\t: fpu hypervisor sse2\n", "flags\t: fpu sse2\n");
        assert_eq!(whose("Standard PC QEMU", None, guest).as_deref(), Some("QEMU"));
        assert!(whose("", None, guest).unwrap().starts_with("yes"));
        assert_eq!(whose("m5.metal Amazon EC2", None, metal), None);
        assert_eq!(whose("PowerEdge Dell Inc.", None, metal), None);
        assert_eq!(whose("", Some("xen"), metal).as_deref(), Some("xen"));
        // Arm has no such flag; firmware is all there is.
        assert_eq!(whose("KVM Virtual", None, "Features : fp\n").as_deref(), Some("KVM"));
    }
}
