//! The machine as a table for people.

use std::fmt::Write as _;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};

use crate::result::{HostCheck, HostFacts};

/// Terminals that do not tell their width.
const WIDTH: u16 = 110;

/// What the machine is, what was looked at, and below it the commands that mend what is not well.
#[must_use]
pub fn host_table(host: &HostFacts) -> String {
    let mut text = format!("{}\n{}\n", what_it_is(host), checks(&host.checks));
    let failed: Vec<&HostCheck> = host.checks.iter().filter(|check| !check.ok).collect();
    if failed.is_empty() {
        text.push_str("Nothing stands in the way.\n");
        return text;
    }
    let _ = writeln!(text, "{} of {} are not well.", failed.len(), host.checks.len());
    let commands: Vec<&HostCheck> =
        failed.into_iter().filter(|check| !check.command.is_empty()).collect();
    if !commands.is_empty() {
        text.push_str("To mend them:\n");
    }
    for check in commands {
        let _ = writeln!(text, "  {}    # {}", check.command, check.name);
    }
    text
}

fn what_it_is(host: &HostFacts) -> Table {
    let mut table = table();
    let virtual_machine = host.virtual_machine.as_deref().unwrap_or("no");
    let tools: Vec<String> =
        host.tools.iter().map(|(name, version)| format!("{name} {version}")).collect();
    table.add_row(["system", &host.system]);
    table.add_row(["processor", &host.processor]);
    table.add_row(["cores", &host.cores.to_string()]);
    table.add_row(["memory", &format!("{} MiB", host.memory >> 20)]);
    table.add_row(["virtual machine", virtual_machine]);
    table.add_row(["tools", &tools.join(", ")]);
    table
}

fn checks(checks: &[HostCheck]) -> Table {
    let mut table = table();
    table.set_header(["check", "value", "", "what it means"]);
    for check in checks {
        let mark = if check.ok { "ok" } else { "!" };
        table.add_row([&check.name, &check.value, mark, &check.advice]);
    }
    table
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(WIDTH);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(checks: Vec<HostCheck>) -> HostFacts {
        HostFacts { system: "Linux 6.1".to_owned(), cores: 2, checks, ..HostFacts::default() }
    }

    fn somaxconn(ok: bool) -> HostCheck {
        let (advice, command) = if ok {
            ("", "")
        } else {
            ("connections wait", "sudo sysctl -w net.core.somaxconn=1024")
        };
        HostCheck {
            name: "net.core.somaxconn".to_owned(),
            value: "128".to_owned(),
            ok,
            advice: advice.to_owned(),
            command: command.to_owned(),
        }
    }

    #[test]
    fn commands_stand_below_to_be_copied() {
        let text = host_table(&facts(vec![somaxconn(false)]));
        assert!(text.contains("Linux 6.1") && text.contains("connections wait"), "{text}");
        assert!(
            text.contains("\n  sudo sysctl -w net.core.somaxconn=1024    # net.core"),
            "{text}"
        );
        assert!(text.contains("1 of 1 are not well"), "{text}");
    }

    #[test]
    fn a_machine_without_faults_is_told_so() {
        let text = host_table(&facts(vec![somaxconn(true)]));
        assert!(text.contains("Nothing stands in the way.") && !text.contains("To mend"), "{text}");
    }
}
