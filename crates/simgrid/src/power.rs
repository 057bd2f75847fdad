//! The power of hosts and links, from the properties of SimGrid's energy plugins.
//!
//! `wattage_per_state` lists `idle:epsilon:all cores` for each power state, or `idle:all cores` if epsilon equals idle.
//! A busy host draws epsilon plus the rest in proportion to its load: a core's share for each of n busy cores.

use super::Word;
use super::decimal::Decimal;
use super::xml::Element;
use hetsim_text::{Node, Problem};

/// The power of a host, without its properties.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Power {
    idle: Decimal,
    active: Decimal,
    per_core: PerCore,
    off: Option<Decimal>,
}

/// The power of each busy core.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PerCore {
    Exact(Decimal),
    /// A quotient without a finite decimal.
    Near(f64),
}

/// The value of a property of an element.
///
/// # Errors
/// The property is given twice.
pub(super) fn property<'e>(element: &'e Element<'_>, id: &str) -> Result<Option<Word<'e>>, Problem> {
    let mut found = None;
    for child in element.children.iter().filter(|child| child.name == "prop") {
        if child.required("id")?.text == id {
            if found.is_some() {
                return Err(child.fault(format!("the property `{id}` is given twice")));
            }
            found = Some(child.present("value")?);
        }
    }
    Ok(found)
}

impl Power {
    /// Reads the power of a host with `cores` cores in its present power state of `states`.
    ///
    /// # Errors
    /// A property is not a list of watts for each state.
    pub(super) fn read(
        element: &Element<'_>,
        cores: u32,
        (state, states): (usize, usize),
    ) -> Result<Option<Self>, Problem> {
        let off = property(element, "wattage_off")?.map(|off| off.parse(watts)).transpose()?;
        let Some(list) = property(element, "wattage_per_state")? else {
            // SimGrid counts no energy for such a host while it is on.
            let none =
                Self { idle: Decimal::ZERO, active: Decimal::ZERO, per_core: PerCore::Exact(Decimal::ZERO), off };
            return Ok(off.is_some().then_some(none));
        };
        let all: Vec<&str> = list.text.split(',').collect();
        let (Some(own), true) = (all.get(state), all.len() == states) else {
            return Err(list.fault(format!("expected watts for each of {states} power states, not for {}", all.len())));
        };
        let values = own.split(':').map(watts).collect::<Result<Vec<_>, _>>();
        let (idle, active, full) = match list.parse(|_| values)?.as_slice() {
            [idle, full] => (*idle, *idle, *full),
            [idle, active, full] => (*idle, *active, *full),
            _ => {
                return Err(
                    list.fault(format!("expected \"idle:epsilon:all cores\" or \"idle:all cores\", not {own:?}"))
                );
            }
        };
        let Some(rest) = full.minus(active) else {
            return Err(list.fault("expected no less power with all cores busy than with hardly any load"));
        };
        Ok(Some(Self { idle, active, per_core: share(rest, cores), off }))
    }

    /// The table `power = { … }`.
    pub(super) fn write(&self, element: &Element<'_>) -> Node {
        let place = &element.place;
        let text = |value: Decimal| Node::string(format!("{}W", value.plain()), place);
        let per_core = match self.per_core {
            PerCore::Exact(value) => text(value),
            PerCore::Near(value) => Node::string(format!("{value}W"), place),
        };
        let mut entries = vec![("idle", text(self.idle)), ("active", text(self.active)), ("per_core", per_core)];
        entries.extend(self.off.map(|off| ("off", text(off))));
        Node::table(entries, place)
    }
}

/// Reads the power of a link: `wattage_range` is `idle:busy`.
///
/// # Errors
/// A property has another form.
pub(super) fn link(element: &Element<'_>) -> Result<Option<Node>, Problem> {
    let range = match property(element, "wattage_range")? {
        Some(range) => Some(range),
        None => property(element, "watt_range")?,
    };
    let off = property(element, "wattage_off")?;
    let Some(range) = range else {
        return match off {
            Some(off) => Err(off.fault("expected the property `wattage_range` beside `wattage_off`")),
            None => Ok(None),
        };
    };
    let values = range.parse(|text| text.split(':').map(watts).collect::<Result<Vec<_>, _>>())?;
    let &[idle, full] = values.as_slice() else {
        return Err(range.fault(format!("expected \"idle:busy\", not {:?}", range.text)));
    };
    let text = |value: Decimal, word: Word<'_>| Node::string(format!("{}W", value.plain()), word.place);
    // SimGrid reads the power of a link that is off, and never uses it.
    off.map(|off| off.parse(watts)).transpose()?;
    Ok(Some(Node::table([("idle", text(idle, range)), ("full", text(full, range))], range.place)))
}

fn watts(text: &str) -> Result<Decimal, String> {
    match Decimal::read(text.trim())? {
        (watts, "") => Ok(watts),
        _ => Err(format!("expected a number of watts, not {text:?}")),
    }
}

/// A core's share: exact if the shortest notation of the float is.
fn share(rest: Decimal, cores: u32) -> PerCore {
    let near = rest.as_f64() / f64::from(cores);
    match Decimal::read(&format!("{near}")) {
        Ok((share, _)) if share.scaled(cores.into(), 0) == Some(rest) => PerCore::Exact(share),
        _ => PerCore::Near(near),
    }
}
