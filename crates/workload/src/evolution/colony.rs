//! The individuals themselves: what evolves, as far as anything does.

use hetsim_base::engine::Streams;
use hetsim_search::SettingsError;
use hetsim_search::strategy::{Evolution, Individuals, Settings};

/// The populations of all slaves.
///
/// What an individual finds does not depend on where and when it is computed, so a round is evolved at once when it is
/// over. Where individuals walk alone (the printed rule, the 1/5 rule), or where the master has them all, they are one
/// population: the same individuals evolve whatever the distribution, and runs compared in one sweep have the same
/// rounds. Otherwise (μ+λ, μ,λ, CMA-ES) every slave's population is an island.
#[derive(Debug)]
pub(super) enum Colony {
    /// Only time passes.
    Nothing,
    Together(Box<Evolution>),
    Apart(Vec<Evolution>),
}

impl Colony {
    pub(super) fn together(settings: &Settings, population: u32, streams: &Streams) -> Result<Self, SettingsError> {
        let evolution = Evolution::new(settings, population, &mut streams.stream("population", 0))?;
        Ok(Self::Together(Box::new(evolution)))
    }

    /// Populations of the slaves' own, of so many each.
    pub(super) fn apart(settings: &Settings, counts: &[u32], streams: &Streams) -> Result<Self, SettingsError> {
        let one = |(slave, &count)| Evolution::new(settings, count, &mut streams.stream("population", slave));
        (0..).zip(counts).map(one).collect::<Result<_, _>>().map(Self::Apart)
    }

    /// Evolves everybody for the generations of round `round`. The least error found by anybody so far.
    pub(super) fn evolve(&mut self, round: u32, generations: u32, streams: &Streams) -> Option<f64> {
        let evolve = |evolution: &mut Evolution, purpose: &str, slave: u64| {
            let mut stream = streams.stream(purpose, slave << 32 | u64::from(round));
            evolution.evolve(generations, &mut stream);
            evolution.best().map(|best| best.error)
        };
        match self {
            Self::Nothing => None,
            Self::Together(evolution) => evolve(evolution, "evolve", 0),
            Self::Apart(slaves) => {
                let errors = (0..).zip(slaves).filter_map(|(slave, evolution)| evolve(evolution, "evolve", slave));
                errors.min_by(f64::total_cmp)
            }
        }
    }

    /// Takes individuals away from a slave, where they belong to it.
    pub(super) fn leave(&mut self, slave: u32, count: u32) -> Option<Individuals> {
        match self {
            Self::Apart(slaves) => Some(slaves[slave as usize].leave(count)),
            Self::Nothing | Self::Together(_) => None,
        }
    }

    /// Lets individuals in at a slave.
    pub(super) fn join(&mut self, slave: u32, newcomers: &Individuals) -> Result<(), SettingsError> {
        match self {
            Self::Apart(slaves) => slaves[slave as usize].join(newcomers),
            Self::Nothing | Self::Together(_) => Ok(()),
        }
    }
}
