use super::*;

fn request(folder: &Path, shards: &[u32]) -> Request {
    Request {
        program: "/usr/bin/hetsim".into(),
        current: folder.to_owned(),
        scenario: folder.join("it's a \"sweep\" $HOME `id`.toml"),
        overrides: vec!["workload.size=8 KiB".to_owned(), "folder='a b'".to_owned()],
        out: folder.join("out put"),
        name: "it's a \"sweep\" $HOME `id`".to_owned(),
        shards: shards.iter().map(|&index| Shard::new(index, 16).unwrap()).collect(),
        resources: Resources { cpus: 2, ..Resources::default() },
    }
}

#[test]
fn shards_are_named_as_ranges() {
    let ranges = |shards: &[u32]| request(Path::new("/tmp"), shards).ranges();
    assert_eq!(ranges(&[0, 1, 2, 3]), "0-3");
    assert_eq!(ranges(&[2, 5, 6, 7, 15]), "2,5-7,15");
    assert_eq!(ranges(&[9]), "9");
}

#[test]
fn slurm_gets_an_array_and_a_merge() {
    let mut request = request(Path::new("/tmp/a b"), &[2, 5, 7]);
    request.resources.time = Some("1:00:00".to_owned());
    request.resources.partition = Some("main".to_owned());
    request.resources.at_once = Some(2);
    request.resources.options = vec!["--comment=two words".to_owned()];
    let prepared = request.prepare(Engine::Slurm).unwrap();
    assert_eq!(prepared.folder, Path::new("/tmp/a b/out put").join(&request.name).join("jobs"));
    let words: Vec<Vec<String>> = prepared.commands.iter().map(|command| shlex::split(command).unwrap()).collect();
    let array = "sbatch --parsable --array 2,5,7%2 --job-name hetsim-it_s_a__sweep___HOME__id_ --output shard-%a.%A.log \
                 --cpus-per-task 2 --partition main --time 1:00:00";
    let array: Vec<&str> = array.split(' ').chain(["--comment=two words", "shard.sh"]).collect();
    assert_eq!(words[0], array);
    assert!(prepared.commands[1].contains("--dependency afterany:ARRAY"), "{words:?}");
    assert_eq!(words[1].last().unwrap(), "merge.sh");
    assert!(prepared.scripts[0].1.contains("--shard \"$SLURM_ARRAY_TASK_ID/16\""));
}

/// A shell runs the script with a program that prints its arguments, in folders with awkward names.
#[cfg(unix)]
#[test]
fn a_shell_reads_back_what_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().join("it's \"here\" $PATH `false` \\ 50%\nand so on");
    std::fs::create_dir(&here).unwrap();
    let mut request = request(&here, &[0, 3]);
    request.program = here.join("pro gram");
    std::fs::write(&request.program, "#!/bin/sh\npwd\nfor word; do printf '<%s>' \"$word\"; done\n").unwrap();
    let mut rights = std::fs::metadata(&request.program).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o755);
    std::fs::set_permissions(&request.program, rights).unwrap();

    let said = |script: &str, index: &str| {
        let output = Command::new("sh").args(["-c", script, "sh", index]).env("SLURM_ARRAY_TASK_ID", index).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let (scenario, out) = (request.scenario.display(), request.out.display());
    let shard = format!(
        "{}\n<run><{scenario}><--out><{out}><--set><workload.size=8 KiB><--set><folder='a b'><--quiet><--jobs><2><--shard><3/16>",
        here.display()
    );
    for engine in [Engine::Slurm, Engine::Parallel] {
        let prepared = request.prepare(engine).unwrap();
        assert_eq!(said(&prepared.scripts[0].1, "3"), shard, "{engine:?}");
        assert_eq!(prepared.scripts[1].0, "merge.sh");
        let merge = format!("{}\n<merge><{}>", here.display(), request.folder().display());
        assert_eq!(said(&prepared.scripts[1].1, ""), merge, "{engine:?}");
    }
}

#[test]
fn what_a_system_has_not_is_refused() {
    let mut request = request(Path::new("/tmp"), &[0]);
    request.resources.partition = Some("main".to_owned());
    for engine in [Engine::Parallel, Engine::Hq] {
        let message = request.prepare(engine).unwrap_err().to_string();
        assert!(message.contains("has no --partition"), "{message}");
    }
    assert!(request.prepare(Engine::Slurm).is_ok());
}

#[test]
fn parallel_resumes_by_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(folder.path(), &[3, 5]);
    let script = || request.prepare(Engine::Parallel).unwrap().scripts[2].1.clone();
    assert!(script().contains("seq 0 15 | parallel") && !script().contains("--resume"), "{}", script());
    std::fs::create_dir_all(request.jobs()).unwrap();
    let log = |line: &str| std::fs::write(request.jobs().join("parallel.log"), line).unwrap();
    log("4\t:\t1.0\t0.1\t0\t0\t0\t9\tsh shard.sh 3\n1\t:\t1.0\t0.1\t0\t0\t0\t0\tsh shard.sh 0\n");
    assert!(script().contains("--resume-failed") && !script().contains("mv"), "{}", script());
    // The log counts a shard as done that the store does not.
    log("4\t:\t1.0\t0.1\t0\t0\t0\t0\tsh shard.sh 3\n");
    assert!(!script().contains("--resume") && script().contains("mv -f parallel.log"), "{}", script());
}

#[test]
fn submissions_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(JOBS)).unwrap();
    assert_eq!(submissions(folder.path()), []);
    let shards = vec![Shard::new(3, 16).unwrap()];
    let mut first =
        Submission { engine: Engine::Slurm, submitted_s: 1, shards, job: Some("12".into()), merge_job: None };
    remember(folder.path(), &first).unwrap();
    first.merge_job = Some("13".into());
    remember(folder.path(), &first).unwrap();
    let second = Submission { job: Some("14".into()), ..first.clone() };
    remember(folder.path(), &second).unwrap();
    assert_eq!(submissions(folder.path()), [first, second]);
}
