use super::figure::with_own_ids;
use super::html::{MOST_BYTES, href, slug};
use super::table::reads_as_number;
use super::*;
use crate::report::chart::{Axis, LineChart, Picture, Point, Screen, Series};
use crate::report::text::BestCell;

/// The script of the page and the data of tables are the only scripts.
fn scripts(html: &str) -> usize {
    html.matches("<script").count()
}

#[test]
fn everything_is_escaped() {
    let evil = "<script>\"&'</script>".to_owned();
    let rows = vec![vec![evil.clone()]; 300];
    let table = TextTable {
        title: evil.clone(),
        columns: vec![evil.clone()],
        rows,
        keys: 1,
        over: Some(evil.clone()),
        notes: vec![evil.clone()],
        best: vec![(0, 0, BestCell::Alone)],
    };
    let point = vec![Point::new(1.0, 2.0)];
    let chart = LineChart {
        title: evil.clone(),
        x: Axis::number(evil.clone()),
        y: Axis::number(evil.clone()),
        series: vec![Series::data(evil.clone(), point)],
        ..LineChart::default()
    };
    let page = Page {
        title: evil.clone(),
        question: Some(&evil),
        set: Some(evil.clone()),
        tables: &[table],
        sentences: vec![evil.clone()],
        pictures: &[Picture::of(&evil, evil.clone(), &evil, &chart)],
        verdicts: &[
            Verdict {
                metric: evil.clone(),
                place: evil.clone(),
                source: evil.clone(),
                note: evil.clone(),
                ..Verdict::default()
            },
            Verdict { metric: evil.clone(), source: evil.clone(), note: evil.clone(), met: true, ..Verdict::default() },
        ],
        scenario: &evil,
        files: vec![evil.clone(), format!("charts/{evil}.svg"), "javascript:alert(1)".to_owned()],
        facts: vec![("fact", evil.clone())],
    };
    let html = page.html();
    // One for the rows that are not shown at first, one at the end.
    assert_eq!((scripts(&html), html.matches("</script").count()), (2, 2));
    assert!(html.contains("&lt;script&gt;&quot;&amp;&#39;") && html.contains("\\u003cscript>"));
    assert!(html.contains("href=\"javascript%3Aalert%281%29\""));
}

#[test]
fn nothing_is_fetched_and_empty_parts_are_not_there() {
    let html = Page { title: "Empty".to_owned(), ..Page::default() }.html();
    assert!(!html.contains("http") && !html.contains("<section") && !html.contains("<footer"), "{html}");
    assert!(html.contains("<title>Empty</title>") && html.contains("lang=\"en\"") && !html.contains("<nav"));
}

#[test]
fn ids_of_pictures_do_not_meet() {
    let svg = "<?xml version=\"1.0\"?><svg><g id=\"a\"/><use href=\"#a\" fill=\"url(#a)\"/><text>url(#a)</text></svg>";
    assert_eq!(
        with_own_ids(svg, "figure3-"),
        "<svg><g id=\"figure3-a\"/><use href=\"#figure3-a\" fill=\"url(#figure3-a)\"/><text>url(#a)</text></svg>"
    );
    assert_eq!(slug("a b/ü<"), "a-b-ü-");
    assert_eq!(href("charts/a b#?.svg"), "charts/a%20b%23%3F.svg");
}

#[test]
fn numbers_are_told_from_words() {
    for number in [
        "12",
        "-3.5",
        "−3.5",
        "12.5 ms",
        "3.1 ± 0.2",
        "12\u{a0}000",
        "5%",
        "1e-9",
        "(2.50 ± 0.03)×10⁷",
        "2.29×10⁶",
        "10⁻⁵",
    ] {
        assert!(reads_as_number(number), "{number}");
    }
    for word in ["binomial", "a 1", "1 broadcast algorithm", "2nd", "0 = 1 = 2"] {
        assert!(!reads_as_number(word), "{word}");
    }
}

/// Misses stand open, with their reasons, before what is met.
#[test]
fn misses_come_first() {
    let met = |source: &str| Verdict { met: true, source: source.to_owned(), ..Verdict::default() };
    let missed = Verdict { note: "why".to_owned(), source: "Table 2".to_owned(), ..Verdict::default() };
    let verdicts = [met("Table 1"), met("Table 2"), missed, met("Table 1")];
    let html = Page { verdicts: &verdicts, ..Page::default() }.html();
    assert!(html.contains("✗ Expectations: 3 of 4 met"), "{html}");
    let at = |part: &str| html.find(part).unwrap_or_else(|| panic!("{part} in {html}"));
    assert!(at("✗ miss") < at("why") && at("why") < at("<details>") && at("<details>") < at("Table 1"));
    assert!(html.contains("Table 1 <span class=\"ok\">2 of 2</span>"));
    assert!(html.contains("Table 2 <span class=\"ok\">1 of 2</span>"));
}

/// Rows after the first ones are carried as data; ties are named.
#[test]
fn long_tables_are_carried_as_data() {
    let table = TextTable {
        columns: vec!["n".to_owned(), "x".to_owned()],
        rows: (0..20_000).map(|n| vec![n.to_string(), format!("{n}.5 ms")]).collect(),
        best: vec![(0, 1, BestCell::Equal), (1, 1, BestCell::Untold), (19_999, 1, BestCell::Equal)],
        ..TextTable::default()
    };
    let page = Page { tables: &[table], files: vec!["summary.csv".to_owned()], ..Page::default() };
    let html = page.html();
    assert!(html.contains("200 of 20000 rows; all values are in <a href=\"summary.csv\">summary.csv</a>."));
    assert!(html.contains("<td class=\"number best\">0.5 ms <span class=\"tie\">=</span></td>"), "{}", &html[..4000]);
    assert!(html.contains("19999\\t19999.5 ms\\t1=\"") && html.matches("<tr").count() == 201);
    assert!(html.len() < 500_000, "{}", html.len());
}

/// However much there is to say, the page opens: large drawings become links, and long tables are cut.
#[test]
fn no_page_is_larger_than_ten_megabytes() {
    page_with_tables_opens(10);
}

#[test]
#[ignore = "takes seconds; `.ci/run` runs it"]
fn no_page_of_thirty_long_tables_is_larger_than_ten_megabytes() {
    page_with_tables_opens(30);
}

/// Pages with so many long tables, with large drawings, and with both.
fn page_with_tables_opens(tables: usize) {
    let row = |n: usize| vec![n.to_string(), "a value with many words in it".repeat(3)];
    let table = || TextTable {
        columns: vec!["n".to_owned(), "words".to_owned()],
        rows: (0..40_000).map(row).collect(),
        ..TextTable::default()
    };
    let tables: Vec<TextTable> = (0..tables).map(|_| table()).collect();
    let svg = format!("<svg>{}</svg>", "<rect/>".repeat(280_000));
    let picture = |n: usize| Picture {
        name: format!("chart{n}"),
        caption: String::new(),
        svg: svg.clone(),
        screen: Screen { wide: svg.clone(), phone: Some(svg.clone()), ..Screen::default() },
        ..Picture::default()
    };
    let pictures: Vec<Picture> = (0..8).map(picture).collect();
    let page = |tables, pictures| Page { tables, pictures, ..Page::default() }.html();
    for html in [page(&tables, &pictures), page(&[], &pictures), page(&tables, &[])] {
        assert!(html.len() < 10_000_000, "{}", html.len());
        assert!(html.len() > MOST_BYTES / 2 && html.ends_with("</html>\n"));
    }
    assert!(page(&[], &pictures).contains("<img src=\"charts/chart7.svg\""));
    assert!(page(&tables, &[]).contains("rows; the others are left out here"));
}

/// The colours of series in the dark, by the filter of the style sheet (Filter Effects Module Level 1: invert, then
/// hue-rotate), keep a contrast of 3, or what they have on white.
#[test]
fn series_keep_their_contrast_in_the_dark() {
    assert!(STYLE.contains("filter:invert(.91) hue-rotate(180deg)"));
    let invert = |channel: f64| channel * (1.0 - 2.0 * 0.91) + 255.0 * 0.91;
    // The matrix of the specification for half a turn: its cosine is −1, its sine 0.
    let turned = |[r, g, b]: [f64; 3]| {
        let grey = 2.0 * (0.213 * r + 0.715 * g + 0.072 * b);
        [grey - r, grey - g, grey - b].map(|channel| channel.clamp(0.0, 255.0))
    };
    let dark = |colour: [f64; 3]| turned(colour.map(invert));
    let luminance = |colour: [f64; 3]| {
        let linear = |channel: f64| {
            let share = channel / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = colour.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let contrast = |a: [f64; 3], b: [f64; 3]| {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    };
    let sheet = dark([255.0; 3]);
    assert!(sheet.iter().all(|channel| (channel - 22.95).abs() < 0.1), "the sheet is #171717 as the page: {sheet:?}");
    // Okabe and Ito, then ink and grey of texts.
    let series = [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233]];
    for colour in series {
        let found = contrast(dark(colour.map(f64::from)), sheet);
        assert!(found >= 3.0, "{colour:?}: {found}");
    }
    for ink in [[34.0; 3], [96.0; 3]] {
        assert!(contrast(dark(ink), sheet) >= 4.5);
    }
}

#[test]
fn the_script_is_short_and_whole() {
    let short = shipped("const a = [1, - -b],\n  c = 'a  b' + `x  ${ a }`;\nif (a) {\n  // No.\n  d = /a  b/g;\n}\n");
    // A comment behind code would swallow what follows: the script has none.
    assert_eq!(short, "let a=[1,- -b],c='a  b'+`x  ${ a }`;if(a){d=/a  b/g}\n");
    assert_eq!(shipped("x = constant;\ny.const = const_;\n"), "x=constant;y.const=const_;");
    assert!(!SCRIPT.lines().any(|line| line.contains("; //")));
    let length = shipped(SCRIPT).len();
    assert!(length < 11_000, "{length} bytes stand in every page");
}
