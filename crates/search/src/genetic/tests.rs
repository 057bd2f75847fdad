//! Tests of the whole algorithm and of each operator.

use proptest::prelude::*;

use super::*;
use crate::Objective;
use hetsim_base::engine::{Stream, Streams};

fn stream(generation: u64) -> Stream {
    Streams::new(11, 0).stream("genetic", generation)
}

/// The best error after each generation.
fn course(settings: &Settings, generations: u64) -> Vec<f64> {
    let mut population = Population::first(settings, &mut stream(0)).unwrap();
    (1..=generations)
        .map(|generation| {
            population.evaluate_all();
            let best = population.best().unwrap();
            // With equal errors the mean may be less by rounding.
            assert!(population.mean().unwrap() >= best * (1.0 - 1e-12));
            population.next_generation(&mut stream(generation));
            best
        })
        .collect()
}

#[test]
fn one_max_is_solved() {
    for &selection in Selection::ALL {
        for crossing in [Crossover::OnePoint, Crossover::TwoPoint, Crossover::Uniform] {
            for genome in [Genome::Bits, Genome::Real] {
                let mut settings = Settings::new(64, Objective::OneMax, 32, genome);
                settings = Settings { selection, crossing, mutation: 0.01, elitism: 1, ..settings };
                if genome == Genome::Real {
                    settings.mutation_step = 0.5;
                }
                let best = course(&settings, 300);
                assert!(best[0] > 4.0);
                assert_eq!(best[299], 0.0, "{selection} {crossing} {genome}");
            }
        }
    }
}

#[test]
fn the_sphere_converges() {
    let real = Settings::new(60, Objective::Sphere, 10, Genome::Real);
    let real = Settings { crossing: Crossover::Blend, elitism: 1, ..real };
    assert!(*course(&real, 200).last().unwrap() < 1e-6);
    // With 16 bits the point nearest to 0 is half a step away, 5.12/65535, in each of four coordinates: an error of
    // 2.4·10⁻⁸.
    let bits = Settings::new(100, Objective::Sphere, 4, Genome::Bits);
    let bits = Settings { mutation: 0.01, elitism: 2, crossing: Crossover::Uniform, ..bits };
    let best = *course(&bits, 600).last().unwrap();
    let least = 4.0 * (5.12_f64 / 65_535.0).powi(2);
    assert!(best >= least * (1.0 - 1e-9) && best < 1e-2, "{best}");
}

#[test]
fn the_same_streams_breed_the_same() {
    let settings = Settings::new(33, Objective::Ackley, 7, Genome::Bits);
    assert_eq!(course(&settings, 20), course(&settings, 20));
    let breed = |seed| {
        let mut population = Population::first(&settings, &mut stream(seed)).unwrap();
        population.evaluate_all();
        population.mean()
    };
    assert_ne!(breed(0), breed(1));
}

#[test]
fn without_crossover_and_mutation_there_are_copies() {
    for genome in [Genome::Bits, Genome::Real] {
        let settings = Settings::new(21, Objective::Rastrigin, 5, genome);
        let settings = Settings { crossover: 0.0, mutation: 0.0, ..settings };
        let mut population = Population::first(&settings, &mut stream(0)).unwrap();
        population.evaluate_all();
        let parents: Vec<Vec<f64>> = (0..population.len()).map(|i| population.point(i)).collect();
        population.next_generation(&mut stream(1));
        for child in 0..population.len() {
            assert_eq!(population.error(child), None);
            assert!(parents.contains(&population.point(child)));
        }
    }
}

/// Crossover exchanges genes without creating or losing any; mutation with probability 1 changes every gene.
#[test]
fn operators_do_what_they_say() {
    for genome in [Genome::Bits, Genome::Real] {
        for crossing in [Crossover::OnePoint, Crossover::TwoPoint, Crossover::Uniform] {
            let settings = Settings { crossing, ..Settings::new(2, Objective::OneMax, 100, genome) };
            let mut genes = genes::Genes::zeroed(&settings, 2);
            genes.draw(0, &settings, &mut stream(3));
            genes.draw(1, &settings, &mut stream(4));
            let points = |genes: &genes::Genes| {
                let mut points = [vec![0.0; 100], vec![0.0; 100]];
                points.iter_mut().enumerate().for_each(|(i, point)| genes.decode(i, &settings, point));
                points
            };
            let before = points(&genes);
            genes.cross(0, &settings, &mut stream(5));
            let after = points(&genes);
            assert_ne!(before, after);
            let mut switches = 0;
            let mut exchanged = false;
            for place in 0..100 {
                let (old, new) = ([before[0][place], before[1][place]], [after[0][place], after[1][place]]);
                assert!(new == old || new == [old[1], old[0]]);
                if old[0] != old[1] && (new != old) != exchanged {
                    exchanged = !exchanged;
                    switches += 1;
                }
            }
            match crossing {
                Crossover::OnePoint => assert_eq!(switches, 1),
                Crossover::TwoPoint => assert!(switches <= 2),
                _ => assert!(switches > 10),
            }
            let all = Settings { mutation: 1.0, ..settings.clone() };
            genes.mutate(1..2, &all, &mut stream(6));
            let mutated = points(&genes);
            assert_eq!(mutated[0], after[0]);
            let same = mutated[1].iter().zip(&after[1]).filter(|(a, b)| a == b).count();
            assert!(same == 0, "{same}");
        }
    }
}

/// The fraction of flipped bits is the mutation probability: 10⁶ bits, within five standard deviations.
#[test]
fn mutation_hits_its_share() {
    for mutation in [0.001, 0.03, 0.5] {
        let settings = Settings { mutation, ..Settings::new(1000, Objective::OneMax, 1000, Genome::Bits) };
        let mut genes = genes::Genes::zeroed(&settings, 1000);
        genes.mutate(0..1000, &settings, &mut stream(8));
        let ones: u64 = (0..1000).map(|individual| 1000 - genes.zeros(individual, &settings)).sum();
        let deviation = (1e6 * mutation * (1.0 - mutation)).sqrt();
        assert!((ones as f64 - 1e6 * mutation).abs() < 5.0 * deviation, "{ones}");
    }
}

#[test]
fn the_best_move_and_the_worst_give_way() {
    let settings = Settings::new(12, Objective::Sphere, 3, Genome::Real);
    let mut populations = [0, 1].map(|seed| Population::first(&settings, &mut stream(seed)).unwrap());
    populations.iter_mut().for_each(Population::evaluate_all);
    let [source, target] = &mut populations;
    let migrants = source.take_best(3);
    let sorted = |population: &Population| {
        let mut errors: Vec<f64> = (0..population.len()).filter_map(|i| population.error(i)).collect();
        errors.sort_by(f64::total_cmp);
        errors
    };
    let mut expected = sorted(target)[..9].to_vec();
    expected.extend(&sorted(source)[..3]);
    expected.sort_by(f64::total_cmp);
    target.replace_worst(&migrants).unwrap();
    assert_eq!(sorted(target), expected);
    // The migrated errors belong to the migrated genes.
    target.evaluate_all();
    assert_eq!(sorted(target), expected);
    assert_eq!(source.take_best(99).len(), 12);

    let other = Settings::new(12, Objective::Sphere, 4, Genome::Real);
    let mut other = Population::first(&other, &mut stream(2)).unwrap();
    let foreign = other.replace_worst(&migrants).unwrap_err();
    assert_eq!(foreign.to_string(), "individuals with 3 words of genes cannot join a population with 4");
}

#[test]
fn impossible_settings_are_named() {
    let good = Settings::new(8, Objective::Sphere, 2, Genome::Bits);
    let faults = [
        (Settings { population: 0, ..good.clone() }, "population"),
        (Settings { genes: 0, ..good.clone() }, "genes"),
        (Settings { genes: u32::MAX, ..good.clone() }, "genes"),
        (Settings { bits_per_gene: 53, ..good.clone() }, "bits_per_gene"),
        (Settings { crossover: 1.5, ..good.clone() }, "crossover"),
        (Settings { mutation: f64::NAN, ..good.clone() }, "mutation"),
        (Settings { mutation_step: -1.0, ..good.clone() }, "mutation_step"),
        (Settings { elitism: 9, ..good.clone() }, "elitism"),
        (Settings { tournament: 0, ..good.clone() }, "tournament"),
        (Settings { tournament: 1001, ..good.clone() }, "tournament"),
        (Settings { crossing: Crossover::Blend, ..good.clone() }, "crossing"),
    ];
    for (settings, key) in faults {
        let error = Population::first(&settings, &mut stream(0)).unwrap_err();
        assert_eq!(error.key, key, "{error}");
    }
    assert_eq!(good.check(), Ok(()));
    assert_eq!((good.genome_bytes(), Settings { genome: Genome::Real, ..good }.genome_bytes()), (4, 16));
}

proptest! {
    #[test]
    fn an_elite_never_loses_the_best(
        population in 1u32..20,
        genes in 1u32..12,
        elite in 1u32..4,
        bits in 1u32..=52,
        real in any::<bool>(),
        crossing in prop::sample::select(Crossover::ALL),
        selection in prop::sample::select(Selection::ALL),
        objective in prop::sample::select(Objective::ALL),
    ) {
        let genome = if real || crossing == Crossover::Blend { Genome::Real } else { Genome::Bits };
        let settings = Settings::new(population, objective, genes, genome);
        let settings = Settings {
            elitism: elite.min(population), bits_per_gene: bits, crossing, selection, mutation: 0.3, ..settings
        };
        let best = course(&settings, 12);
        prop_assert!(best.is_sorted_by(|a, b| a >= b), "{best:?}");
        let mut population = Population::first(&settings, &mut stream(0)).unwrap();
        population.evaluate_all();
        population.next_generation(&mut stream(1));
        // The elite comes first, and its stored errors equal those of a new evaluation.
        for individual in 0..settings.elitism as usize {
            let kept = population.error(individual);
            prop_assert_eq!(kept, Some(population.evaluate(individual)));
        }
        // No gene leaves the domain.
        for individual in 0..population.len() {
            prop_assert!(population.point(individual).iter().all(|gene| objective.domain().contains(gene)));
        }
    }
}
