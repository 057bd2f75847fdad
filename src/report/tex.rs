//! The lines that put a chart into a LaTeX document.

use std::fmt::Write as _;

use super::chart::Picture;
use super::replicas;
use super::results::Results;
use super::text::finished;
use crate::report::Reported as _;
use crate::scenario::Format;

/// A `figure` with the picture in a format that LaTeX takes in, a caption and a label. The caption says what is shown,
/// of how many runs, with which intervals, and by which scenario.
pub(super) fn figure(results: &Results<'_>, picture: &Picture, format: Format) -> String {
    let width = picture
        .millimetres
        .map_or_else(|| "\\linewidth".to_owned(), |width| format!("{}mm", (10.0 * width).round() / 10.0));
    let extension = format.name();
    let scenario = results.scenario();
    let mut sentences = vec![picture.caption.clone()];
    sentences.extend(picture.notes.iter().cloned());
    if !picture.notes.iter().any(|note| note.contains("n = ")) {
        sentences.push(of_runs(results, &picture.name));
    }
    let caption: Vec<String> = sentences.iter().map(|sentence| escaped(&finished(sentence))).collect();
    format!(
        "\\begin{{figure}}\n  \\centering\n  \\includegraphics[width={width}]{{{file}.{extension}}}\n  \
         \\caption{{{caption} Simulated by hetsim, scenario \\texttt{{{name}}}, seed {seed}.}}\n  \
         \\label{{fig:{label}}}\n\\end{{figure}}\n",
        file = file_name(&picture.name),
        caption = caption.join("\n    "),
        name = escaped(&scenario.name),
        seed = scenario.file.seed,
        label = label(&picture.name),
    )
}

/// How many runs a chart shows that does not say so itself.
fn of_runs(results: &Results<'_>, name: &str) -> String {
    let spec = results.scenario().report();
    let chart = spec.chart.iter().find(|chart| chart.common().name == name);
    match chart.and_then(|chart| chart.single_runs(results)) {
        Some(runs) => format!("{runs}, n = 1"),
        None => format!("n = {}", replicas::counts(results)),
    }
}

/// A text with what LaTeX would take for commands, and what its fonts lack, in commands.
fn escaped(text: &str) -> String {
    let mut tex = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == ' ' && letters.peek() == Some(&'%') {
            tex.push_str("\\,");
            continue;
        }
        if let Some(digit) = raised(letter) {
            let mut power = String::from(digit);
            while let Some(digit) = letters.peek().copied().and_then(raised) {
                power.push(digit);
                letters.next();
            }
            let _ = write!(tex, "$^{{{power}}}$");
            continue;
        }
        match command(letter) {
            Some(command) => tex.push_str(command),
            None => tex.push(letter),
        }
    }
    tex
}

/// The character that one in an exponent stands for.
fn raised(letter: char) -> Option<char> {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if letter == '⁻' {
        return Some('-');
    }
    digits.iter().position(|digit| *digit == letter).and_then(|digit| char::from_digit(digit as u32, 10))
}

/// The command for a character that can't stand for itself.
const fn command(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\\' => "\\textbackslash{}",
        '{' => "\\{",
        '}' => "\\}",
        '$' => "\\$",
        '&' => "\\&",
        '#' => "\\#",
        '%' => "\\%",
        '_' => "\\_",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '"' => "\\textquotedbl{}",
        '−' => "$-$",
        '×' => "$\\times$",
        '±' => "$\\pm$",
        '·' => "$\\cdot$",
        '≤' => "$\\le$",
        '≥' => "$\\ge$",
        '≈' => "$\\approx$",
        '→' => "$\\to$",
        '∞' => "$\\infty$",
        'µ' | 'μ' => "$\\mu$",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'γ' => "$\\gamma$",
        'δ' => "$\\delta$",
        'λ' => "$\\lambda$",
        'π' => "$\\pi$",
        'ρ' => "$\\rho$",
        'σ' => "$\\sigma$",
        'Δ' => "$\\Delta$",
        'Σ' => "$\\Sigma$",
        '–' => "--",
        '…' => "\\dots{}",
        '\u{a0}' => "~",
        '\u{2009}' | '\u{202f}' => "\\,",
        _ => return None,
    })
}

/// A name as `\includegraphics` reads it, which expands what stands there to characters.
fn file_name(name: &str) -> String {
    let mut tex = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '%' => tex.push_str("\\csname @percentchar\\endcsname "),
            '{' => tex.push_str("\\csname @charlb\\endcsname "),
            '}' => tex.push_str("\\csname @charrb\\endcsname "),
            '#' => tex.push_str("\\csname c_hash_str\\endcsname "),
            '$' | '&' | '^' | '~' => {
                tex.push_str("\\string");
                tex.push(letter);
            }
            _ => tex.push(letter),
        }
    }
    tex
}

/// What a label may hold.
fn label(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "-.".contains(letter) { letter } else { '-' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_command() {
        assert_eq!(
            escaped("50 % of a_b & {c} #1 $x^2~\\d"),
            "50\\,\\% of a\\_b \\& \\{c\\} \\#1 \\$x\\textasciicircum{}2\\textasciitilde{}\\textbackslash{}d"
        );
        assert_eq!(escaped("2.5 × 10⁻¹² µs, x² − 1"), "2.5 $\\times$ 10$^{-12}$ $\\mu$s, x$^{2}$ $-$ 1");
        assert_eq!(escaped("été à Orsay"), "été à Orsay");
    }

    #[test]
    fn sentences_begin_and_end_as_such() {
        assert_eq!(finished("bars: mean, n = 3"), "Bars: mean, n = 3.");
        assert_eq!(finished("n = 3"), "n = 3.");
        assert_eq!(finished("Which is best?"), "Which is best?");
        assert_eq!(finished(""), ".");
    }

    #[test]
    fn names_are_read_by_latex() {
        assert_eq!(file_name("a_b c.d"), "a_b c.d");
        assert_eq!(file_name("5%#"), "5\\csname @percentchar\\endcsname \\csname c_hash_str\\endcsname ");
        assert_eq!(label("a_b c.d"), "a-b-c.d");
    }
}
