//! The tables of a validation.

use super::cells::{percent, without_blank_columns};
use super::rules::{ruled_choices, rules_table};
use crate::accuracy::validate::{ChoiceSummary, Grouping, Noise, Summary, Validation};
use crate::report::text::TextTable;

fn signed(share: Option<f64>) -> String {
    let text = percent(share);
    if text.is_empty() || text.starts_with('−') || text == "0.0" { text } else { format!("+{text}") }
}

fn correlation(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.2}").replace('-', "−"))
}

/// All tables: the errors by operation, by algorithm, and by each other column with several values; the choices; and what
/// was not predicted.
#[must_use]
pub fn tables(validation: &Validation) -> Vec<TextTable> {
    let mut tables = Vec::new();
    for &grouping in Grouping::ALL {
        let groups = validation.by(grouping);
        let is_first = grouping == Grouping::Operation;
        if groups.len() > 1 || is_first || grouping == Grouping::Algorithm {
            let total = (is_first && groups.len() != 1).then(|| validation.summary());
            tables.push(errors(grouping, groups.into_iter().chain(total)));
        }
    }
    if let Some(first) = tables.first_mut() {
        first.notes = vec![
            "Errors are predicted over measured time, less 1: the median and mean of their sizes, their signed median \
             (bias), the share of points within 10 and 25 % and within a factor of 2, and Spearman's rank correlation."
                .to_owned(),
            noise(&validation.noise),
        ];
    }
    if !validation.choices.is_empty() {
        tables.push(choices(validation));
    }
    let ruled = rules_table(&ruled_choices(validation));
    tables.extend((!ruled.rows.is_empty()).then_some(ruled));
    let missing = unpredicted(validation);
    tables.extend((!missing.rows.is_empty()).then_some(missing));
    tables
}

fn errors(grouping: Grouping, groups: impl Iterator<Item = Summary>) -> TextTable {
    // Names of algorithms take the room of some columns.
    let is_narrow = grouping == Grouping::Algorithm;
    let row = |summary: Summary| {
        let [group, points] = [summary.group, summary.count.to_string()];
        let [median, bias] = [percent(summary.median), signed(summary.bias)];
        let within = [summary.within_10, summary.within_25, summary.within_double].map(percent);
        if is_narrow {
            return vec![group, points, median, bias, within[1].clone()];
        }
        let (mean, correlation) = (percent(summary.mean), correlation(summary.correlation));
        [group, points, median, mean, bias].into_iter().chain(within).chain([correlation]).collect()
    };
    let all = [grouping.name(), "points", "median", "mean", "bias", "≤ 10", "≤ 25", "≤ 2×", "rank r"];
    let columns = if is_narrow { vec![all[0], all[1], all[2], all[4], all[6]] } else { all.to_vec() };
    TextTable {
        title: format!("Errors by {}, in per cent", grouping.name()),
        columns: columns.into_iter().map(str::to_owned).collect(),
        rows: groups.map(row).collect(),
        ..TextTable::default()
    }
}

fn choices(validation: &Validation) -> TextTable {
    let row = |summary: ChoiceSummary| {
        vec![
            summary.group,
            format!("{} of {}", summary.right, summary.count),
            percent(summary.regret),
            percent(summary.median_regret),
            percent(summary.worst_regret),
            percent(summary.default_regret),
            percent(summary.saved),
            correlation(summary.correlation),
        ]
    };
    let groups = validation.choices_by_operation();
    let total = (groups.len() > 1).then(|| validation.choice_summary());
    let columns = ["operation", "right", "regret", "median", "worst", "default", "saved", "rank r"];
    let regret =
        "The regret of following the prediction is the time that it takes longer than the best: mean, median and worst";
    let default = "; `default` is the mean regret of the library's own choice, and `saved` the share of its time that the \
                   prediction saves";
    let has_default = validation.choices.iter().any(|choice| choice.default_time.is_some());
    without_blank_columns(TextTable {
        title: "Choices between measured algorithms, in per cent".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: groups.into_iter().chain(total).map(row).collect(),
        notes: vec![format!("{regret}{}.", if has_default { default } else { "" })],
        ..TextTable::default()
    })
}

/// The noise of the data in words.
#[must_use]
pub fn noise(noise: &Noise) -> String {
    let factor = |factor: Option<f64>| factor.map_or_else(String::new, |factor| format!("{factor:.2}×"));
    let within = match noise.spread {
        Some(_) => format!("the iterations of a test spread by {} (median of p90 over p10)", factor(noise.spread)),
        None => "the spread of a test's iterations is not given".to_owned(),
    };
    let between = match noise.repeated {
        0 => "no test was taken in several runs".to_owned(),
        repeated => format!(
            "the times of {repeated} test{} in several runs differ by {} (median), a tenth of them by {} and more",
            if repeated == 1 { "" } else { "s" },
            factor(noise.between_runs),
            factor(noise.between_runs_p90)
        ),
    };
    format!("Noise of the data: {within}; {between}.")
}

/// The title of the table of points without a prediction.
pub const UNPREDICTED: &str = "Points without a prediction";

/// The points without a prediction, and why.
#[must_use]
pub fn unpredicted(validation: &Validation) -> TextTable {
    let rows = validation.unpredicted().into_iter().map(|(why, count)| vec![why, count.to_string()]).collect();
    TextTable {
        title: UNPREDICTED.to_owned(),
        columns: ["what", "points"].map(str::to_owned).to_vec(),
        rows,
        ..TextTable::default()
    }
}
