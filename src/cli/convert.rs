//! `hetsim convert`: converts a task graph from one file format to another; a platform of SimGrid, a performance model of
//! StarPU or the input of HPL to TOML.

use std::path::Path;

use super::Failure;
use super::arguments::Convert;
use super::bad_input;
use super::console::Console;
use super::replaced::check_kept;
use crate::batch::write::{write_atomically, write_text};
use crate::graph::read::{Format, Instance, ReadError};
use crate::graph::write::{holds_name, lost, write_named};
use crate::printable::toml_string;
use crate::report::Reported as _;
use crate::scenario::{
    Place, Problem, Problems, Scenario, Source, has_platform, hpl_scenario, is_starpu_model, simgrid, starpu_kernels,
};
use crate::units::Quantity;

/// The path for standard output.
const STANDARD_OUTPUT: &str = "-";

pub(super) fn convert(console: &Console, convert: &Convert) -> Result<(), Failure> {
    if convert.output != Path::new(STANDARD_OUTPUT) {
        check_kept("OUT", &convert.output, [&convert.input])?;
    }
    if convert.from.is_none() && convert_other(console, convert)? {
        return Ok(());
    }
    convert_graph(console, convert)
}

/// Converts what is no task graph, if IN is such a thing.
fn convert_other(console: &Console, convert: &Convert) -> Result<bool, Failure> {
    let extension = extension(&convert.input);
    if extension.eq_ignore_ascii_case("dat") {
        return convert_hpl(console, convert).map(|()| true);
    }
    // The extension of a performance model is the name of a machine.
    if !extension.eq_ignore_ascii_case("xml") && Format::of(extension, "").is_some() {
        return Ok(false);
    }
    let source = Source::read(&convert.input).map_err(bad_input)?;
    if simgrid::is_platform(&source.text) && extension.eq_ignore_ascii_case("xml") {
        convert_platform(console, convert, &source)?;
    } else if is_starpu_model(&source.text) {
        convert_model(console, convert, &source)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn convert_graph(console: &Console, convert: &Convert) -> Result<(), Failure> {
    // Check the command itself before reading a long file.
    let to = output_format(convert)?;
    let source = Source::read(&convert.input).map_err(bad_input)?;
    let from = match convert.from {
        Some(format) => format,
        None => Format::of(extension(&convert.input), &source.text)
            .ok_or_else(|| unknown_extension(&convert.input, "--from"))?,
    };
    if from == Format::Toml && has_platform(&source) {
        let input = convert.input.display();
        return Err(bad_input(format!(
            "{input} has a platform: platforms are converted only from SimGrid's XML to TOML"
        )));
    }
    let instances = from.read_all(&source.text).map_err(|error| placed(&source, &error))?;
    let Instance { name, graph, notes, worked, .. } = chosen(instances, convert.instance.as_deref())?;
    for note in notes {
        log::warn!("{}, {note}", source.name);
    }
    if let Some(error) = worked.filter(|_| convert.speed.is_some()) {
        return Err(placed(&source, &error));
    }
    let speed = convert.speed.map_or(1.0, Quantity::base);
    if speed <= 0.0 {
        return Err(bad_input("--speed must be above 0"));
    }
    let graph = graph.scaled(speed, 1.0).map_err(|error| bad_input(error.to_string()))?;
    if convert.output == Path::new(STANDARD_OUTPUT) {
        console.print_data(|out| write_named(&graph, name.as_deref(), to, out))?;
    } else {
        let written = write_atomically(&convert.output, |writer| write_named(&graph, name.as_deref(), to, writer));
        written.map_err(bad_input)?;
    }
    let (tasks, edges) = (graph.tasks(), graph.edge_count());
    console.say(&format!("{tasks} tasks and {edges} edges, from {from} to {to}"));
    let mut lost = lost(&graph, to);
    lost.extend(name.filter(|_| !holds_name(to)).map(|_| "the name of the graph"));
    if !lost.is_empty() {
        console.say(&format!("note: {to} cannot hold {}", lost.join(" and ")));
    }
    Ok(())
}

/// Writes a platform of SimGrid as a file for `platform.include`.
fn convert_platform(console: &Console, convert: &Convert, source: &Source) -> Result<(), Failure> {
    let text = simgrid::as_toml(source)?.text;
    check_platform(&convert.input)?;
    write_toml(console, convert, &text, "a platform")?;
    if convert.output != Path::new(STANDARD_OUTPUT) {
        console.say(&format!("a platform for a scenario: [platform] include = \"{}\"", convert.output.display()));
    }
    Ok(())
}

/// Writes the input of HPL as a scenario.
fn convert_hpl(console: &Console, convert: &Convert) -> Result<(), Failure> {
    let source = Source::read(&convert.input).map_err(bad_input)?;
    let made = hpl_scenario(&source)?;
    write_toml(console, convert, &made.text, "HPL's input")?;
    for what in &made.left_out {
        console.say(&format!("note: {what}"));
    }
    if convert.output != Path::new(STANDARD_OUTPUT) {
        console.say(&format!("put your machine into its [platform], then: hetsim {}", convert.output.display()));
    }
    Ok(())
}

/// Writes a performance model of StarPU as kernels for `platform.include`.
fn convert_model(console: &Console, convert: &Convert, source: &Source) -> Result<(), Failure> {
    let made = starpu_kernels(source)?;
    write_toml(console, convert, &made.text, "a performance model")?;
    let count = made.kernels.len();
    console.say(&format!(
        "{count} kernel{} for the clusters {}",
        if count == 1 { "" } else { "s" },
        made.clusters.join(", ")
    ));
    for what in &made.left_out {
        console.say(&format!("note: left out: {what}"));
    }
    if convert.output != Path::new(STANDARD_OUTPUT) {
        console.say(&format!("for a scenario: [platform] include = \"{}\"", convert.output.display()));
    }
    Ok(())
}

/// Writes TOML where the command says.
fn write_toml(console: &Console, convert: &Convert, text: &str, what: &str) -> Result<(), Failure> {
    let options = [
        ("--to", convert.to.is_some()),
        ("--instance", convert.instance.is_some()),
        ("--speed", convert.speed.is_some()),
    ];
    if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
        return Err(bad_input(format!("{option} is for task graphs; {} holds {what}", convert.input.display())));
    }
    if convert.output == Path::new(STANDARD_OUTPUT) {
        return console.print_data(|out| out.write_all(text.as_bytes()));
    }
    if !extension(&convert.output).eq_ignore_ascii_case("toml") {
        let output = convert.output.display();
        return Err(bad_input(format!("{what} is written as TOML: give a .toml file, not {output}")));
    }
    write_text(&convert.output, text).map_err(bad_input)
}

/// Reads a platform as an including scenario would, so that no unusable file is written.
fn check_platform(path: &Path) -> Result<(), Failure> {
    const WORKLOAD: &str = "[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n";
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let file = path.file_name().unwrap_or(path.as_os_str());
    let named = toml_string(&file.to_string_lossy());
    let text = format!("version = 1\n[platform]\ninclude = {named}\n{WORKLOAD}").into();
    let source = Source { name: "a scenario with this platform".to_owned(), folder, text };
    Scenario::read("convert".to_owned(), source, &[])?;
    Ok(())
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn unknown_extension(path: &Path, option: &str) -> Failure {
    let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    bad_input(format!(
        "the extension of {} does not determine the format: add {option} {}",
        path.display(),
        known.join("|")
    ))
}

/// The format to write. An ambiguous extension gives an error.
fn output_format(convert: &Convert) -> Result<Format, Failure> {
    if let Some(format) = convert.to {
        return Ok(format);
    }
    let extension = extension(&convert.output);
    if extension.eq_ignore_ascii_case("json") {
        let path = convert.output.display();
        return Err(bad_input(format!("{path} could be WfFormat or a matrix: add --to wfformat or --to matrix")));
    }
    Format::of(extension, "").ok_or_else(|| unknown_extension(&convert.output, "--to"))
}

/// The only graph of a file, or the one with this name.
fn chosen(mut instances: Vec<Instance>, name: Option<&str>) -> Result<Instance, Failure> {
    let several = instances.len() > 1;
    let found = match name {
        Some(name) => instances.iter().position(|instance| instance.name.as_deref() == Some(name)),
        None if several => {
            let names: Vec<&str> = instances.iter().filter_map(|instance| instance.name.as_deref()).take(5).collect();
            return Err(bad_input(format!(
                "there are {} graphs in the file: choose one by --instance and a name, such as {}",
                instances.len(),
                names.join(", ")
            )));
        }
        None => Some(0),
    };
    match found {
        Some(index) if index < instances.len() => Ok(instances.swap_remove(index)),
        _ => {
            let names: Vec<&str> = instances.iter().filter_map(|instance| instance.name.as_deref()).collect();
            let name = name.unwrap_or_default();
            let advice = crate::scenario::suggest(name, &names);
            Err(bad_input(format!("no graph in the file is named {name:?}; {advice}")))
        }
    }
}

/// An error of a reader with the surrounding text.
fn placed(source: &Source, error: &ReadError) -> Failure {
    let Some(offset) = error.offset() else {
        return bad_input(format!("{}: {error}", source.name));
    };
    let place = Place { source: 0, span: offset..offset + 1 };
    let problem = Problem::at(&place, error.message());
    Failure::Input(Problems::new(vec![problem], std::slice::from_ref(source)))
}
