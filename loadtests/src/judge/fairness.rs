//! How evenly callers were served.

/// Jain's index of fairness: 1 when all got the same, 1/n when one got everything. `None` when
/// there is nobody, or nobody got anything.
#[must_use]
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// Below this, callers are not equals: one of ten that gets half of what the others do makes 0.976.
const FAIR: f64 = 0.98;
/// Of fewer answers each, chance alone makes callers as unequal as that.
const ENOUGH: f64 = 100.0;

/// A sentence when `served`, the answers of each of the callers (`what`), are not even.
#[must_use]
pub fn unfairness(served: &[u64], what: &str) -> Option<String> {
    let shares: Vec<f64> = served.iter().map(|&answers| answers as f64).collect();
    let index = jain(&shares)?;
    let (least, most) = (served.iter().min()?, served.iter().max()?);
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    (index < FAIR && mean >= ENOUGH).then(|| {
        format!(
            "{} {what} were served unequally: from {least} to {most} answers, fairness {index:.3} \
             of 1",
            served.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(shares: &[f64]) -> f64 {
        (jain(shares).unwrap() * 1000.0).round() / 1000.0
    }

    #[test]
    fn the_published_clients_have_the_published_indices() {
        assert_eq!(rounded(&[558.04, 383.01, 236.10]), 0.899);
        assert_eq!(rounded(&[3341.98, 2945.41, 2710.26]), 0.993);
    }

    #[test]
    fn it_goes_from_one_to_one_over_n() {
        assert_eq!(jain(&[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(jain(&[7.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!((jain(&[]), jain(&[0.0, 0.0])), (None, None));
    }

    #[test]
    fn only_unequal_callers_are_told_of() {
        assert_eq!(unfairness(&[100, 99, 101], "connections"), None);
        assert_eq!(unfairness(&[], "connections"), None);
        assert_eq!(unfairness(&[5, 3, 2], "connections"), None, "chance");
        let text = unfairness(&[558, 383, 236], "clients").unwrap();
        assert!(text.contains("from 236 to 558") && text.contains("0.89"), "{text}");
    }
}
