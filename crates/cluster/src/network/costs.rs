//! What messages over shared links cost besides: any closed model, whose ports the links replace.

use std::sync::Arc;

use super::protocol::{Protocol, ProtocolParameters};
use super::{Class, Delivery, Handshake, Model, NetworkError, Port, Transfer};
use hetsim_base::units::{Tick, Time};

/// The costs beside shared links; by default nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Costs(Option<Arc<Model>>);

impl Costs {
    /// The costs of a scenario's parameters.
    ///
    /// # Errors
    /// If the parameters give no model.
    pub fn new(parameters: Option<&ProtocolParameters>, tick: Tick) -> Result<Self, NetworkError> {
        let model = parameters.map(|costs| Protocol::new(costs, tick)).transpose()?;
        Ok(Self(model.map(|model| Arc::new(Model::Protocol(model)))))
    }

    /// The costs of a closed model: its overheads, its latency, its handshake, and its transmission as the least time
    /// of the bytes.
    ///
    /// # Errors
    /// If the model is not [closed](Class::Closed).
    pub fn of(model: Model) -> Result<Self, NetworkError> {
        if model.class() == Class::Closed { Ok(Self(Some(Arc::new(model)))) } else { Err(NetworkError::Costs) }
    }

    /// Whether messages cost anything besides the links.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.0.is_some()
    }

    /// The bytes that are added to each message.
    #[must_use]
    pub fn envelope(&self) -> u64 {
        self.0.as_ref().map_or(0, |costs| costs.envelope())
    }

    /// The tick for which the model was made; `None` if there is none, or it has no times.
    #[must_use]
    pub fn tick(&self) -> Option<Tick> {
        self.0.as_ref()?.tick()
    }

    /// The rendezvous before a message; `None` for an eager one.
    pub(super) fn handshake(&self, bytes: u64) -> Option<Handshake> {
        match self.0.as_deref()? {
            Model::Protocol(protocol) => protocol.handshake(bytes),
            costs => costs.transfer(bytes).handshake,
        }
    }

    /// How a message over links with this latency in all is delivered.
    #[inline]
    pub(super) fn delivery(&self, latency: Time, bytes: u64) -> Delivery {
        match self.0.as_ref().map(|costs| costs.delivery(bytes)) {
            None => Delivery::Flow(Transfer { latency, ..Transfer::default() }),
            Some(Delivery::Closed(costs)) => {
                Delivery::Flow(Transfer { latency: costs.latency + latency, port: Port::Free, ..costs })
            }
            Some(refused) => refused,
        }
    }
}
