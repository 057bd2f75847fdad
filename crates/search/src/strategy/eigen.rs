//! Eigenvalues and eigenvectors of a symmetric matrix by Jacobi rotations.
//!
//! Golub and Van Loan, "Matrix Computations", §8.5. The method is fast enough for the few dozen dimensions of a search,
//! accurate for small eigenvalues, and shorter than bindings to a linear algebra library.

/// Diagonalises the symmetric n × n matrix (row by row). Column j of `vectors` becomes the eigenvector of diagonal
/// element j.
pub fn diagonalise(matrix: &mut [f64], vectors: &mut [f64], n: usize) {
    vectors.fill(0.0);
    for i in 0..n {
        vectors[i * n + i] = 1.0;
    }
    // Convergence is quadratic: six to ten sweeps are typical, and further ones change nothing.
    for _ in 0..30 {
        let (mut off, mut diagonal) = (0.0, 0.0);
        for i in 0..n {
            diagonal += matrix[i * n + i].powi(2);
            off += matrix[i * n + i + 1..(i + 1) * n].iter().map(|x| x * x).sum::<f64>();
        }
        if off <= 1e-32 * diagonal {
            return;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(matrix, vectors, n, p, q);
            }
        }
    }
}

/// Zeroes element (p, q) by a rotation.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let element = matrix[p * n + q];
    if element == 0.0 {
        return;
    }
    let theta = (matrix[q * n + q] - matrix[p * n + p]) / (2.0 * element);
    // The smaller root of t² + 2θt − 1, so that the rotation is at most 45°.
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |x: &mut [f64], a: usize, b: usize| {
        let (left, right) = (x[a], x[b]);
        x[a] = cosine * left - sine * right;
        x[b] = sine * left + cosine * right;
    };
    for k in 0..n {
        turn(matrix, k * n + p, k * n + q);
        turn(vectors, k * n + p, k * n + q);
    }
    for k in 0..n {
        turn(matrix, p * n + k, q * n + k);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_case_by_hand() {
        let mut matrix = [2.0, 1.0, 1.0, 2.0];
        let mut vectors = [0.0; 4];
        diagonalise(&mut matrix, &mut vectors, 2);
        let mut values = [matrix[0], matrix[3]];
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
        assert!(vectors.iter().all(|x| (x.abs() - 0.5_f64.sqrt()).abs() < 1e-15));
    }

    proptest! {
        /// V diag(λ) Vᵀ equals the matrix, and V is orthogonal.
        #[test]
        fn vectors_and_values_make_the_matrix(n in 1usize..12, entries in prop::collection::vec(-9.0..9.0f64, 144)) {
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    matrix[i * n + j] = entries[i * 12 + j];
                    matrix[j * n + i] = entries[i * 12 + j];
                }
            }
            let original = matrix.clone();
            let mut vectors = vec![0.0; n * n];
            diagonalise(&mut matrix, &mut vectors, n);
            for i in 0..n {
                for j in 0..n {
                    let product = |weight: &dyn Fn(usize) -> f64| -> f64 {
                        (0..n).map(|k| vectors[i * n + k] * vectors[j * n + k] * weight(k)).sum()
                    };
                    let unit = if i == j { 1.0 } else { 0.0 };
                    prop_assert!((product(&|_| 1.0) - unit).abs() < 1e-13);
                    prop_assert!((product(&|k| matrix[k * n + k]) - original[i * n + j]).abs() < 1e-12 * 9.0 * n as f64);
                }
            }
        }
    }
}
