//! What is varied: settings of the provider, settings of its callers, and the load itself.

use std::collections::BTreeMap;

use crate::result::Axis;

/// Values of each axis, in the order in which they are tried; ascending where they are numbers. An
/// empty list leaves the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Axes {
    /// `dubbo.protocol.iothreads`
    pub iothreads: Vec<usize>,
    /// `dubbo.protocol.dispatcher`
    pub dispatcher: Vec<String>,
    /// `dubbo.protocol.queues`
    pub queues: Vec<i32>,
    /// `dubbo.protocol.threads`
    pub threads: Vec<usize>,
    /// `dubbo.consumer.serialization`
    pub serialization: Vec<String>,
    /// `dubbo.consumer.connections`
    pub connections: Vec<usize>,
    /// Calls under way.
    pub in_flight: Vec<usize>,
}

/// Whose setting an axis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The provider's: another value needs another process.
    Provider,
    /// The caller's.
    Caller,
    /// Nobody's: it is the load.
    Load,
}

/// Names of the axes, slowest first, and whose they are.
const NAMES: [(&str, Owner); 7] = [
    ("dubbo.protocol.iothreads", Owner::Provider),
    ("dubbo.protocol.dispatcher", Owner::Provider),
    ("dubbo.protocol.queues", Owner::Provider),
    ("dubbo.protocol.threads", Owner::Provider),
    ("dubbo.consumer.serialization", Owner::Caller),
    ("dubbo.consumer.connections", Owner::Caller),
    ("in-flight", Owner::Load),
];
/// Calls under way unless they are varied.
const IN_FLIGHT: usize = 100;

impl Axes {
    /// Those with values, slowest first.
    #[must_use]
    pub fn list(&self) -> Vec<Axis> {
        let named = NAMES.iter().zip(self.values());
        named
            .filter(|(_, values)| !values.is_empty())
            .map(|((name, _), values)| Axis { name: (*name).to_owned(), values })
            .collect()
    }

    fn values(&self) -> [Vec<String>; 7] {
        fn texts<T: ToString>(values: &[T]) -> Vec<String> {
            values.iter().map(ToString::to_string).collect()
        }
        [
            texts(&self.iothreads),
            texts(&self.dispatcher),
            texts(&self.queues),
            texts(&self.threads),
            texts(&self.serialization),
            texts(&self.connections),
            if self.in_flight.is_empty() { texts(&[IN_FLIGHT]) } else { texts(&self.in_flight) },
        ]
    }

    /// Settings at these places.
    #[must_use]
    pub fn settings(&self, at: &[usize]) -> BTreeMap<String, String> {
        let chosen = self.list().into_iter().zip(at);
        chosen
            .filter_map(|(axis, place)| Some((axis.name, axis.values.into_iter().nth(*place)?)))
            .collect()
    }
}

/// Whose setting this is.
#[must_use]
pub fn owner(name: &str) -> Owner {
    NAMES.iter().find(|(known, _)| *known == name).map_or(Owner::Load, |(_, owner)| *owner)
}

/// The last word of a setting's name.
#[must_use]
pub fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_without_values_are_left_out_but_for_the_load() {
        let axes = Axes { threads: vec![1, 200], ..Axes::default() };
        let names: Vec<String> = axes.list().into_iter().map(|axis| axis.name).collect();
        assert_eq!(names, ["dubbo.protocol.threads", "in-flight"]);
        let settings = axes.settings(&[1, 0]);
        assert_eq!(settings["dubbo.protocol.threads"], "200");
        assert_eq!(settings["in-flight"], "100");
        assert_eq!(owner("dubbo.protocol.threads"), Owner::Provider);
        assert_eq!(short("dubbo.protocol.threads"), "threads");
    }
}
