//! Pictures as pages show them: with their values, and drawn again for phones.

use super::Drawn;
use hetsim_chart::canvas::Picture;
use hetsim_chart::drawing::Drawing;
use hetsim_chart::overlay::Field;
use hetsim_chart::paper::Paper;

/// A picture as a page shows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Screen {
    /// The drawing, with the elements of each series in a group.
    pub(crate) wide: String,
    /// The same at the width of a phone; nothing where the first one has it, or would be too large twice.
    pub(crate) phone: Option<String>,
    /// The headings of the values' cells.
    pub(crate) heads: Vec<String>,
    /// The values.
    pub(crate) values: Vec<ScreenValue>,
    /// How many values are not listed, for there are too many.
    pub(crate) left_out: usize,
    /// Whether it has details to look at closely.
    pub(crate) zooms: bool,
}

/// A value, and where both drawings show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScreenValue {
    /// In units of the drawing.
    pub(crate) wide: Option<Field>,
    /// The same on a phone.
    pub(crate) phone: Option<Field>,
    /// The series that it belongs to; empty for none.
    pub(crate) series: String,
    /// A cell for each heading.
    pub(crate) cells: Vec<String>,
}

/// Larger drawings are not made twice: a phone scrolls them.
const MOST_TWICE: usize = 400_000;

impl Screen {
    /// A picture with its drawing for phones, where there is one.
    pub(super) fn of(
        picture: &Picture,
        phone: Option<&Picture>,
        (title, millimetres): (&str, Option<f64>),
        zooms: bool,
    ) -> Self {
        let wide = picture.marked(title, millimetres);
        let phone = phone.filter(|_| wide.len() <= MOST_TWICE);
        let targets = &picture.overlay().targets;
        // Both list the same values in the same order.
        let narrow = phone.map(|phone| &phone.overlay().targets).filter(|narrow| narrow.len() == targets.len());
        let shown = |(number, target): (usize, &hetsim_chart::overlay::Target)| ScreenValue {
            wide: target.field.clone(),
            phone: narrow.and_then(|narrow| narrow[number].field.clone()),
            series: target.series.clone(),
            cells: target.cells.clone(),
        };
        Self {
            wide,
            phone: phone.map(|phone| phone.marked(title, None)),
            heads: picture.overlay().heads.clone(),
            values: targets.iter().enumerate().map(shown).collect(),
            left_out: picture.overlay().left_out,
            zooms,
        }
    }

    /// A picture on a sheet of the usual size.
    pub(super) fn of_drawing(drawing: &impl Drawing, title: &str) -> Self {
        let paper = Paper::default();
        let phone = paper.on_phone().map(|paper| drawing.picture(&paper));
        Self::of(&drawing.picture(&paper), phone.as_ref(), (title, None), false)
    }
}

impl Drawn {
    /// The picture for phones, where its own sheet is too wide for them.
    pub(super) fn on_phone(&self) -> Option<Picture> {
        self.paper.on_phone().map(|paper| self.picture.picture(&paper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::{Arrangement, Axis, BarChart, BarSeries, LineChart, Point, Series};
    use crate::statistics::compare::Estimate;

    fn lines() -> LineChart {
        let points = |factor: f64| {
            (1..30).map(|x| Point::new(f64::from(x), factor * f64::from(x)).within(0.5, 40.0)).collect::<Vec<_>>()
        };
        LineChart {
            title: "Lines".to_owned(),
            x: Axis::number("x"),
            y: Axis::number("y"),
            series: vec![
                Series::data("first", points(1.0)),
                Series::data("second & last", points(1.0)),
                Series::reference("bound", points(2.0)),
            ],
            ..LineChart::default()
        }
    }

    fn bars() -> BarChart {
        let bar = |value: f64| Some(Estimate { value, interval: Some((value - 0.5, value + 0.5)) });
        // More of them than there are colours: some are hatched.
        let series = (1..10).map(|n| BarSeries {
            name: format!("part {n}"),
            bars: vec![bar(f64::from(n)), None, bar(f64::from(n) / 2.0)],
        });
        BarChart {
            title: "Bars".to_owned(),
            subtitle: None,
            label: "x".to_owned(),
            categories: ["a", "b", "c"].map(str::to_owned).to_vec(),
            y: Axis::number("y"),
            series: series.collect(),
            arrangement: Arrangement::Stacked,
        }
    }

    /// Elements are counted as the backend writes them: were one missed, names would stand in the groups of others.
    #[track_caller]
    fn assert_grouped(drawing: &impl Drawing, names: &[&str]) {
        for paper in [Paper::default(), Paper::default().on_phone().unwrap()] {
            let picture = drawing.picture(&paper);
            let marked = picture.marked("title", None);
            let document = roxmltree::Document::parse(&marked).unwrap();
            let groups = document.descendants().filter(|node| node.has_tag_name("g"));
            let labels = groups.filter(|group| group.attribute("class") == Some("name"));
            let found: Vec<(&str, String)> = labels
                .map(|group| {
                    let texts = group.descendants().filter_map(|node| node.text().filter(|_| node.is_text()));
                    let text: String = texts.collect();
                    (group.attribute("data-s").unwrap(), text.trim().to_owned())
                })
                .collect();
            assert_eq!(found.iter().map(|(series, _)| *series).collect::<Vec<_>>(), names);
            assert!(found.iter().all(|(series, text)| series == text), "{found:?}");
            // Nothing but groups is added.
            let plain: Vec<&str> = marked
                .lines()
                .filter(|line| !line.starts_with("<g data-s") && !line.starts_with("<g class") && *line != "</g>")
                .collect();
            assert_eq!(plain, picture.document("title", None).lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn names_stand_in_the_groups_of_their_series() {
        assert_grouped(&lines(), &["bound", "first", "second & last"]);
        let parts: Vec<String> = (1..10).map(|n| format!("part {n}")).collect();
        assert_grouped(&bars(), &parts.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn both_drawings_place_the_same_values() {
        let screen = Screen::of_drawing(&bars(), "Bars");
        assert_eq!(screen.values.len(), 18);
        assert!(
            screen.phone.is_some() && screen.values.iter().all(|value| value.wide.is_some() && value.phone.is_some())
        );
        assert_eq!(screen.values[0].cells[..3], ["a", "part 1", "1"]);
        assert_eq!(screen.values[0].cells[3], "0.5 to 1.5");
    }
}
