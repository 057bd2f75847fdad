//! `link`: a named link for `[platform.wire]`, and the meaning of link names in routes.

use super::part::{Direction, GivenQuantity, Hop, Link, LinkProfile, Links, Quality, Sharing};
use super::quantity::QuantityKind;
use super::xml::Element;
use super::{Word, power};
use hetsim_text::{Node, Problem};

/// A link on a route under its name in hetsim.
#[derive(Debug, Clone, Copy)]
pub(super) struct DirectedLink<'e> {
    name: Word<'e>,
    half: Option<Direction>,
    /// Whether the reverse path uses the other half.
    pub(super) turns: bool,
}

/// The bandwidth or another quantity of an element.
///
/// # Errors
/// The attribute is missing or invalid.
pub(super) fn given<'e>(
    element: &'e Element<'_>,
    name: &str,
    kind: QuantityKind,
) -> Result<GivenQuantity<'e>, Problem> {
    let word = element.required(name)?;
    let quantity = word.parse(|text| kind.read(text))?;
    if kind != QuantityKind::Time && quantity.value.is_zero() {
        return Err(word.fault(format!("`{name}` must be above zero")));
    }
    Ok(GivenQuantity { quantity, place: word.place })
}

impl<'e> Link<'e> {
    /// Reads a `link`, without its profiles.
    ///
    /// # Errors
    /// Unknown attributes, or those without a counterpart.
    pub(super) fn read(element: &'e Element<'_>) -> Result<Self, Problem> {
        let files = ["bandwidth_file", "latency_file", "state_file"];
        element.only(&["id", "bandwidth", "latency", "sharing_policy", files[0], files[1], files[2]])?;
        element.no_text()?;
        let policies = [
            ("SHARED", Some(Sharing::Shared)),
            ("SPLITDUPLEX", Some(Sharing::SplitDuplex)),
            ("FULLDUPLEX", Some(Sharing::SplitDuplex)),
            ("FATPIPE", Some(Sharing::FatPipe)),
            ("WIFI", None),
        ];
        let Some(sharing) = element.choice("sharing_policy", &policies)? else {
            return Err(element.fault("links of wireless networks are not supported"));
        };
        let power = power::link(element)?;
        if let (Some(power), Sharing::SplitDuplex) = (&power, sharing) {
            let message = "a link with two halves draws no power in SimGrid, even with a `wattage_range`";
            return Err(Problem::at(&power.place, message));
        }
        Self::plain(element, sharing, power)
    }

    /// Reads a `backbone`, which all messages share.
    ///
    /// # Errors
    /// Unknown attributes.
    pub(super) fn backbone(element: &'e Element<'_>) -> Result<Self, Problem> {
        element.only(&["id", "bandwidth", "latency"])?;
        element.no_text()?;
        Self::plain(element, Sharing::Shared, None)
    }

    fn plain(element: &'e Element<'_>, sharing: Sharing, power: Option<Node>) -> Result<Self, Problem> {
        let latency = element.given("latency").map(|_| given(element, "latency", QuantityKind::Time)).transpose()?;
        let bandwidth = given(element, "bandwidth", QuantityKind::Bandwidth)?;
        let id = element.required("id")?;
        Ok(Self { id, element, bandwidth, latency, sharing, power, profiles: Vec::new() })
    }

    /// The table of the named link.
    ///
    /// # Errors
    /// A profile relative to zero.
    pub(super) fn write(&self) -> Result<Node, Problem> {
        let place = &self.element.place;
        let sharing = match self.sharing {
            Sharing::Shared => "shared",
            Sharing::SplitDuplex => "split_duplex",
            Sharing::FatPipe => "unshared",
        };
        let latency = self.latency.map_or_else(|| Node::string("0s", place), GivenQuantity::value);
        let mut entries = vec![("bandwidth", self.bandwidth.value()), ("latency", latency)];
        entries.push(("sharing", Node::string(sharing, place)));
        for given in &self.profiles {
            entries.push(self.profile(given)?);
        }
        entries.extend(self.power.clone().map(|power| ("power", power)));
        Ok(Node::table(entries, place))
    }

    fn profile(&self, given: &LinkProfile) -> Result<(&'static str, Node), Problem> {
        let LinkProfile { quality, profile, place } = given;
        let fault = |message: String| Problem::at(place, message);
        let (key, nominal) = match quality {
            Quality::State => {
                let outages = profile.outages().map_err(fault)?.into_iter();
                return Ok(("fault", Node::array(outages.map(|outage| outage.write(place)), place)));
            }
            Quality::Latency => ("latency_factor", self.latency),
            _ => ("bandwidth_factor", Some(self.bandwidth)),
        };
        let nominal = nominal.map(|given| given.quantity.value).filter(|value| !value.is_zero());
        let Some(nominal) = nominal else {
            return Err(fault("a profile of the latency needs a latency above zero to be relative to".to_owned()));
        };
        Ok((key, Node::table(profile.factor(nominal, place).map_err(fault)?, place)))
    }
}

impl<'e> Links<'e> {
    /// Adds a link.
    ///
    /// # Errors
    /// Another link has the same name.
    pub(super) fn add(&mut self, link: Link<'e>) -> Result<usize, Problem> {
        let number = self.all.len();
        if self.by_name.insert(link.id.text, number).is_some() {
            return Err(link.id.fault(format!("there are two links named {:?}", link.id.text)));
        }
        self.all.push(link);
        Ok(number)
    }

    /// Checks that the halves of links have unique names.
    ///
    /// # Errors
    /// A link with the name of another link's half.
    pub(super) fn seal(&self) -> Result<(), Problem> {
        for link in self.all.iter().filter(|link| link.sharing == Sharing::SplitDuplex) {
            for end in ["_UP", "_DOWN", ".up", ".down"] {
                let name = format!("{}{end}", link.id.text);
                if let Some(&other) = self.by_name.get(name.as_str()) {
                    return Err(self.all[other].id.fault(format!("the link {name:?} is named as a half of another")));
                }
            }
        }
        Ok(())
    }

    /// The index of a link.
    ///
    /// # Errors
    /// There is no link of that name.
    pub(super) fn find(&self, name: Word<'_>) -> Result<usize, Problem> {
        self.by_name.get(name.text).copied().ok_or_else(|| {
            let message = format!("there is no link {:?}", name.text);
            name.fault(message).with_near(name.text, self.by_name.keys().copied())
        })
    }

    /// The directed link of a hop.
    ///
    /// # Errors
    /// There is no such link, or it does not support the direction.
    pub(super) fn passing(&self, hop: Hop<'e>) -> Result<DirectedLink<'e>, Problem> {
        let Hop { link: name, direction } = hop;
        if direction.is_none() && !self.by_name.contains_key(name.text) {
            for (end, half) in [("_UP", Direction::Up), ("_DOWN", Direction::Down)] {
                let whole = name.text.strip_suffix(end).and_then(|whole| self.by_name.get(whole));
                if let Some(link) =
                    whole.map(|&number| &self.all[number]).filter(|link| link.sharing == Sharing::SplitDuplex)
                {
                    // A half given by its own name stays the same on the reverse path.
                    let name = Word { text: link.id.text, place: name.place };
                    return Ok(DirectedLink { name, half: Some(half), turns: false });
                }
            }
        }
        let split = self.all[self.find(name)?].sharing == Sharing::SplitDuplex;
        match direction {
            Some(_) if !split => {
                Err(name.fault(format!("the link {:?} has no halves: leave out `direction`", name.text)))
            }
            None if split => {
                Err(name.fault(format!("the link {:?} has two halves: expected a `direction`, UP or DOWN", name.text)))
            }
            half => Ok(DirectedLink { name, half, turns: true }),
        }
    }
}

impl DirectedLink<'_> {
    /// The directed link on the reverse path.
    pub(super) fn back(self) -> Self {
        let half = self.half.map(|half| match (self.turns, half) {
            (true, Direction::Up) | (false, Direction::Down) => Direction::Down,
            (true, Direction::Down) | (false, Direction::Up) => Direction::Up,
        });
        Self { half, ..self }
    }

    /// Whether it is the same directed link as another.
    pub(super) fn same(self, other: Self) -> bool {
        (self.name.text, self.half) == (other.name.text, other.half)
    }

    /// The name of the directed link.
    pub(super) fn name(self) -> String {
        let end = match self.half {
            None => "",
            Some(Direction::Up) => ".up",
            Some(Direction::Down) => ".down",
        };
        format!("{}{end}", self.name.text)
    }

    /// The name as a value.
    pub(super) fn value(self) -> Node {
        Node::string(self.name(), self.name.place)
    }
}
