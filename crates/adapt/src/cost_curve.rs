//! The cost of a message by a fitted model, over its size.

/// A time over the message size.
#[derive(Debug, Clone, PartialEq)]
pub enum Curve {
    /// The maximum of some lines, each `(at 0 bytes, per byte)`.
    Lines(Vec<(f64, f64)>),
    /// Packets of `packet` bytes: first + (⌈m/packet⌉ − 1)·each.
    Packets {
        /// The time of the first packet.
        first: f64,
        /// The time of each further packet.
        each: f64,
        /// The bytes of a packet, 1 or more.
        packet: f64,
    },
    /// Points by rising size with linear interpolation; constant below the first, with the last slope beyond the last.
    /// The time of the points is multiplied by `factor`, then `offset` is added.
    Table {
        /// `(bytes, seconds)`.
        points: Vec<(f64, f64)>,
        /// A factor on the points' seconds.
        factor: f64,
        /// Additional seconds.
        offset: f64,
    },
}

impl Curve {
    /// The seconds for `bytes`.
    #[must_use]
    pub fn at(&self, bytes: f64) -> f64 {
        match self {
            Self::Lines(lines) => lines.iter().map(|(base, slope)| base + slope * bytes).fold(0.0, f64::max),
            Self::Packets { first, each, packet } => first + ((bytes / packet).ceil() - 1.0).max(0.0) * each,
            Self::Table { points, factor, offset } => offset + factor * interpolated(points, bytes),
        }
    }
}

fn interpolated(points: &[(f64, f64)], bytes: f64) -> f64 {
    let above = points.partition_point(|(size, _)| *size < bytes);
    match (points.first(), points.len()) {
        (None, _) => 0.0,
        (Some((_, only)), 1) => *only,
        (Some((_, first)), _) if above == 0 => *first,
        (Some(_), count) => {
            let (a, b) = (points[above.min(count - 1) - 1], points[above.min(count - 1)]);
            (a.1 + (b.1 - a.1) * (bytes - a.0) / (b.0 - a.0)).max(0.0)
        }
    }
}

/// The cost of a message by a fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct CostCurve {
    /// The time from one send to the next.
    pub gap: Curve,
    /// The time from the start of a send to its arrival.
    pub hop: Curve,
    /// The additional seconds of a message that meets others at its receiver or on its path, as in an exchange among
    /// all ranks.
    pub meeting: f64,
    /// The factor on the time of its bytes in such an exchange: 1 if a model has no contention.
    pub contention: f64,
}

impl CostCurve {
    /// The cost curve of a model without contention.
    #[must_use]
    pub const fn new(gap: Curve, hop: Curve) -> Self {
        Self { gap, hop, meeting: 0.0, contention: 1.0 }
    }

    /// The hop of a message of `bytes` in an exchange in which all ranks send at once.
    #[must_use]
    pub fn exchanged(&self, bytes: f64) -> f64 {
        let alone = self.hop.at(bytes);
        alone + self.meeting + (self.contention - 1.0) * (alone - self.hop.at(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_over_the_size() {
        let lines = Curve::Lines(vec![(5.0, 0.0), (1.0, 2.0)]);
        assert_eq!([0.0, 2.0, 4.0].map(|bytes| lines.at(bytes)), [5.0, 5.0, 9.0]);
        let packets = Curve::Packets { first: 10.0, each: 3.0, packet: 4.0 };
        assert_eq!([0.0, 4.0, 5.0, 12.0].map(|bytes| packets.at(bytes)), [10.0, 10.0, 13.0, 16.0]);
        let table = Curve::Table { points: vec![(1.0, 2.0), (3.0, 6.0)], factor: 2.0, offset: 1.0 };
        assert_eq!([0.0, 1.0, 2.0, 3.0, 4.0].map(|bytes| table.at(bytes)), [5.0, 5.0, 9.0, 13.0, 17.0]);
    }
}
