//! Java's own JMH through Java's Dubbo, on a provider that is given: the module `loadtests/java/jmh`,
//! carried in this program, built with Maven where it is wanted.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tokio::process::Command;

use super::parse;
use crate::result::Run;
use crate::tools::{output_of, starts};

/// The sources, by their places below `loadtests/java`.
const SOURCES: [(&str, &str); 4] = [
    ("jmh/pom.xml", include_str!("../../../java/jmh/pom.xml")),
    ("jmh/src/bench/StressTest.java", include_str!("../../../java/jmh/src/bench/StressTest.java")),
    (
        "src/main/java/com/dubbo/api/StressTestService.java",
        include_str!("../../../java/src/main/java/com/dubbo/api/StressTestService.java"),
    ),
    (
        "src/main/java/com/dubbo/vo/User.java",
        include_str!("../../../java/src/main/java/com/dubbo/vo/User.java"),
    ),
];

/// What hessian-lite needs of a JDK since 16. Forks inherit it.
const OPTIONS: [&str; 10] = [
    "-Xmx1g",
    "-Djava.net.preferIPv4Stack=true",
    "--add-opens",
    "java.base/java.lang=ALL-UNNAMED",
    "--add-opens",
    "java.base/java.util=ALL-UNNAMED",
    "--add-opens",
    "java.base/java.math=ALL-UNNAMED",
    "--add-opens",
    "java.base/java.time=ALL-UNNAMED",
];

/// How long to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// One fork, 2 warm-ups and 3 iterations of a second: the compiler is still at work.
    Quick,
    /// As published: one fork, 3 x 5 s, 3 x 10 s. Five minutes for two methods.
    Full,
}

/// A run of Java's JMH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JavaJmh {
    /// `dubbo://host:port`. Java replaces 127.0.0.1 by the machine's own address, so a provider on
    /// this machine has to listen on 0.0.0.0.
    pub provider: String,
    /// Methods: `string`, `string1k`, `string50k`, `string100k`, `pojo`, `listPojo`.
    pub methods: Vec<String>,
    /// `thrpt`, `avgt`, `sample`, `ss`; none: all four.
    pub modes: Vec<String>,
    /// Callers. Published: 32.
    pub threads: usize,
    /// How long.
    pub depth: Depth,
    /// Dubbo's version. Default of the module: 3.2.19.
    pub dubbo: String,
    /// Where to build, and where the JSON goes. It may be used again.
    pub directory: PathBuf,
}

/// What keeps it from running here, if anything does.
#[must_use]
pub fn missing() -> Option<String> {
    let absent = |tool: &&str| !starts(tool, "-version");
    let tool = ["java", "javac", "mvn"].into_iter().find(absent)?;
    Some(format!("`{tool}` is not installed"))
}

/// Builds the module, runs it, and reads its JSON.
///
/// # Errors
/// When a JDK or Maven is missing, the build fails, the provider is not reached, or a call fails.
pub async fn run_java(options: &JavaJmh) -> Result<Vec<Run>> {
    options.check()?;
    if let Some(missing) = missing() {
        bail!("Java's JMH needs a JDK and Maven, but {missing}");
    }
    let classpath = options.build().await?;
    let json = options.directory.join("jmh-result.json");
    let mut command = Command::new("java");
    command.args(OPTIONS).arg(format!("-Dprovider={}", options.provider));
    command.args(["-cp", &classpath, "org.openjdk.jmh.Main"]);
    command.args(options.arguments(&json));
    output_of(command, "JMH").await?;
    let text = tokio::fs::read_to_string(&json)
        .await
        .with_context(|| format!("JMH left no {}", json.display()))?;
    let mut runs = parse(&text)?;
    for run in &mut runs {
        run.settings.push(format!("Dubbo {} in Java, {}", options.dubbo, options.provider));
        if let crate::scenario::Target::Rpc(target) = &mut run.scenario.target {
            target.url.clone_from(&options.provider);
        }
    }
    ensure!(
        runs.len() == options.benchmarks(),
        "JMH measured {} of {} benchmarks: calls failed, or the provider was not reached",
        runs.len(),
        options.benchmarks()
    );
    Ok(runs)
}

impl JavaJmh {
    /// Names go into a pattern and a property; nothing else than names may.
    fn check(&self) -> Result<()> {
        let name = |text: &String| text.chars().all(|c| c.is_ascii_alphanumeric());
        ensure!(!self.methods.is_empty(), "name a method for Java's JMH");
        ensure!(self.methods.iter().chain(&self.modes).all(name), "methods and modes are names");
        let version = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
        ensure!(self.dubbo.chars().all(version), "`{}` is no version", self.dubbo);
        Ok(())
    }

    fn benchmarks(&self) -> usize {
        self.methods.len() * if self.modes.is_empty() { 4 } else { self.modes.len() }
    }

    /// Builds, unless the same was built there before; the class path.
    async fn build(&self) -> Result<String> {
        let target = self.directory.join(&self.dubbo);
        let (stamp, list) = (target.join("stamp"), target.join("classpath"));
        let sources: String = SOURCES.iter().map(|(_, text)| *text).collect();
        if tokio::fs::read_to_string(&stamp).await.ok().as_deref() != Some(&sources) {
            write_sources(&self.directory)?;
            std::fs::create_dir_all(&target)?;
            let mut command = Command::new("mvn");
            command.args(["-q", "-B", "compile", "dependency:build-classpath"]);
            command.arg(format!("-Ddubbo.version={}", self.dubbo));
            command.arg(format!("-Djmh.build={}", target.display()));
            command.arg(format!("-Dmdep.outputFile={}", list.display()));
            command.current_dir(self.directory.join("java/jmh"));
            maven(command).await?;
            tokio::fs::write(&stamp, &sources).await?;
        }
        let libraries = tokio::fs::read_to_string(&list).await?;
        Ok(format!("{}:{}", target.join("classes").display(), libraries.trim()))
    }

    fn arguments(&self, json: &Path) -> Vec<String> {
        let mut arguments = vec![format!("bench.StressTest.({})$", self.methods.join("|"))];
        let mut flag = |name: &str, value: &str| {
            arguments.extend([name.to_owned(), value.to_owned()]);
        };
        flag("-t", &self.threads.to_string());
        flag("-foe", "true");
        flag("-rf", "json");
        flag("-rff", &json.display().to_string());
        if !self.modes.is_empty() {
            flag("-bm", &self.modes.join(","));
        }
        if self.depth == Depth::Quick {
            for (name, value) in
                [("-f", "1"), ("-wi", "2"), ("-w", "1s"), ("-i", "3"), ("-r", "1s")]
            {
                flag(name, value);
            }
        }
        arguments
    }
}

fn write_sources(directory: &Path) -> Result<()> {
    for (place, text) in SOURCES {
        let path = directory.join("java").join(place);
        let folder = path.parent().context("a source has a folder")?;
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Maven tells errors on its standard output.
async fn maven(mut command: Command) -> Result<()> {
    let output = command.stdin(std::process::Stdio::null()).kill_on_drop(true).output().await;
    let output = output.context("cannot start mvn")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        let errors: Vec<&str> =
            said.lines().filter(|line| line.contains("ERROR")).take(5).collect();
        bail!("mvn failed for Java's JMH: {}", errors.join(" | "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> JavaJmh {
        JavaJmh {
            provider: "dubbo://192.0.2.1:20890".to_owned(),
            methods: vec!["string1k".to_owned(), "string100k".to_owned()],
            modes: Vec::new(),
            threads: 32,
            depth: Depth::Full,
            dubbo: "3.2.19".to_owned(),
            directory: PathBuf::from("build"),
        }
    }

    #[test]
    fn the_published_settings_are_those_of_the_class() {
        let mut options = options();
        let arguments = options.arguments(Path::new("r.json")).join(" ");
        assert_eq!(
            arguments,
            "bench.StressTest.(string1k|string100k)$ -t 32 -foe true -rf json -rff r.json"
        );
        (options.depth, options.modes) = (Depth::Quick, vec!["thrpt".to_owned()]);
        let arguments = options.arguments(Path::new("r.json")).join(" ");
        assert!(arguments.ends_with("-bm thrpt -f 1 -wi 2 -w 1s -i 3 -r 1s"), "{arguments}");
    }

    #[test]
    fn names_are_nothing_but_names() {
        assert!(options().check().is_ok());
        let wrong = JavaJmh { methods: vec![".*".to_owned()], ..options() };
        assert!(wrong.check().is_err());
        let wrong = JavaJmh { dubbo: "3.2.19 -Dx".to_owned(), ..options() };
        assert!(wrong.check().is_err());
        let none = JavaJmh { methods: Vec::new(), ..options() };
        assert!(none.check().is_err());
    }
}
