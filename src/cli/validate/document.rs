//! The document that a plan of validations asks for.

use std::fs::remove_file;
use std::path::Path;

use super::super::arguments::Validate as Arguments;
use super::super::computing::{Interruption, progress_bar, to_be_continued};
use super::super::console::Console;
use super::super::measured::{With, check_selections};
use super::super::{Failure, bad_input};
use super::{PROGRESS, goes_on, kept, points};
use crate::accuracy::Machine;
use crate::accuracy::validate::{Bounds, Request, Validation};
use crate::batch::threads::Threads;
use crate::batch::write::write_text;
use crate::fit::read::collectives::{GivenColumns, MeasuredCollectives};
use crate::report::validation::{Case, ValidationPlan, document};
use crate::scenario::Source;

/// Carries out the plan and prints the document.
pub(super) fn print(
    console: &Console,
    path: &Path,
    arguments: &Arguments,
    interruption: Interruption,
) -> Result<(), Failure> {
    let source = Source::read(path).map_err(bad_input)?;
    let plan: ValidationPlan =
        toml::from_str(&source.text).map_err(|error| bad_input(format!("{}: {error}", source.name)))?;
    let data = arguments.data.as_deref().unwrap_or(&source.folder);
    let mut work = Vec::new();
    for section in &plan.section {
        if let Some(Err(error)) = section.within.as_ref().map(|text| text.parse::<Bounds>()) {
            return Err(bad_input(format!("{}: {}: {error}", source.name, section.title)));
        }
        let given = section.with.as_ref().map(|text| text.parse::<GivenColumns>()).transpose();
        let given = given.map_err(|error| bad_input(format!("{}: {}: {error}", source.name, section.title)))?;
        let file = data.join(&section.file);
        let own = given.map(With::from);
        let measured = own.as_ref().unwrap_or(&arguments.with).read(&[file])?;
        let prepared: Result<Vec<_>, Failure> =
            section.case.iter().map(|case| prepared(case, &measured, &source, arguments)).collect();
        work.push((measured, prepared?));
    }
    let of = |(measured, cases): &(MeasuredCollectives, Vec<(Machine, Request)>)| -> u64 {
        cases.iter().map(|(_, request)| points(measured, request)).sum()
    };
    let points = work.iter().map(of).sum();
    let unfinished = path.with_extension("toml.progress");
    let kept = kept(console, &unfinished, arguments.quiet)?;
    let bar = progress_bar(console, points, PROGRESS, arguments.quiet);
    let goes_on = goes_on(&bar, interruption);
    let validation = |(measured, cases): &(MeasuredCollectives, Vec<(Machine, Request)>)| {
        let of = |(machine, request): &(Machine, Request)| Validation::of(machine, measured, request, &kept, &goes_on);
        let points = cases.iter().map(|case| Some(of(case)?.points)).collect::<Option<Vec<_>>>()?;
        Some(Validation::new(points.into_iter().flatten().collect()))
    };
    let validations = || work.iter().map(validation).collect::<Option<Vec<Validation>>>();
    let validations = Threads::new(arguments.jobs).share(points as usize, validations);
    bar.finish_and_clear();
    let validations = validations.ok_or_else(|| to_be_continued(&unfinished))?;
    let command = format!("hetsim validate {}", path.display());
    let document = document(&plan, &validations, &command).map_err(bad_input)?;
    for (file, content) in &document.files {
        let file = source.folder.join(file);
        let failed = |error| Failure::Run(format!("{} cannot be written: {error}", file.display()));
        write_text(&file, content).map_err(failed)?;
    }
    let _ = remove_file(&unfinished);
    console.print_data(|out| out.write_all(document.text.as_bytes()))
}

/// The platform of a case, and what is predicted on it.
fn prepared(
    case: &Case,
    measured: &MeasuredCollectives,
    plan: &Source,
    arguments: &Arguments,
) -> Result<(Machine, Request), Failure> {
    let machine = Machine::load(&plan.folder.join(&case.platform))?;
    let request = Request::parse(&case.used, &case.leave_out, arguments.seed);
    let request = request.map_err(|error| bad_input(format!("{}: {error}", plan.name)))?;
    let request = Request { most_messages: case.max_messages.unwrap_or(arguments.max_messages), ..request };
    check_selections(&measured.points, [("use", &request.used), ("leave_out", &request.left_out)])?;
    Ok((machine, request))
}
