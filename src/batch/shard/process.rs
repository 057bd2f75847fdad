//! The process that computes, its host, and whether it is alive.

use std::fs;

use serde::{Deserialize, Serialize};

/// A process, identified so that another one with the same PID is not mistaken for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The name of the host.
    pub host: String,
    /// The process ID.
    pub pid: u32,
    /// The PID namespace: a container has PIDs of its own. Linux only.
    pub namespace: Option<String>,
    /// The start time in the system's own count since boot. Linux only.
    pub start: Option<u64>,
}

impl Process {
    /// The present process.
    #[must_use]
    pub fn own() -> Self {
        Self::of(std::process::id())
    }

    /// The one of that number here.
    pub(in crate::batch) fn of(pid: u32) -> Self {
        Self { host: host(), pid, namespace: namespace(), start: start(pid) }
    }

    /// Whether it is alive, if that can be determined: on the same host, with Linux.
    #[must_use]
    pub fn is_alive(&self) -> Option<bool> {
        let here = self.namespace.is_some() && self.namespace == namespace() && self.host == host();
        (here && self.start.is_some()).then(|| start(self.pid) == self.start)
    }
}

/// The name of this host; empty if the system does not provide it.
fn host() -> String {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let name = files.iter().find_map(|file| fs::read_to_string(file).ok());
    let name = name.or_else(|| ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok()));
    name.unwrap_or_default().trim().to_owned()
}

fn namespace() -> Option<String> {
    fs::read_link("/proc/self/ns/pid").ok().map(|name| name.to_string_lossy().into_owned())
}

/// The 22nd field of `/proc/PID/stat`; the second is a name in brackets that may contain anything. `None` for a process
/// that has ended but was not waited for yet.
fn start(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" { None } else { fields.nth(18)?.parse().ok() }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_lives_until_it_ends() {
        assert_eq!(Process::own().is_alive(), Some(true));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Process { pid: child.id(), start: start(child.id()), ..Process::own() };
        assert_eq!(process.is_alive(), Some(true));
        let other = Process { start: process.start.map(|start| start + 1), ..process.clone() };
        assert_eq!(other.is_alive(), Some(false), "another process of that number");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(process.is_alive(), Some(false));
        assert_eq!(Process { host: "elsewhere".into(), ..process }.is_alive(), None);
    }
}
