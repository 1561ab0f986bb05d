//! The numbers of a model, from `model.safetensors`.

use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors};

use super::OpenError;
use super::settings::unfit;

pub const FILE: &str = "model.safetensors";
/// Forms of the same numbers that are programs, not data.
const PICKLED: [&str; 3] = ["pytorch_model.bin", "model.pt", "model.pkl"];

/// The bytes of the weights.
pub fn read(directory: &Path) -> Result<Vec<u8>, OpenError> {
    let path = directory.join(FILE);
    std::fs::read(&path).map_err(|source| {
        match PICKLED.iter().map(|name| directory.join(name)).find(|path| path.exists()) {
            Some(path) if source.kind() == std::io::ErrorKind::NotFound => OpenError::Pickled { path },
            _ => OpenError::Unreadable { path, source },
        }
    })
}

/// Tensors by name.
pub struct Weights<'a> {
    path: PathBuf,
    tensors: SafeTensors<'a>,
    /// Some files put the kind of the model in front of every name.
    prefix: &'static str,
}

impl<'a> Weights<'a> {
    pub fn new(path: &Path, bytes: &'a [u8]) -> Result<Self, OpenError> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| unfit(path, &error.to_string()))?;
        let prefixed = tensors.names().iter().any(|name| name.starts_with("bert."));
        Ok(Self { path: path.to_owned(), tensors, prefix: if prefixed { "bert." } else { "" } })
    }

    /// A matrix of just this shape.
    pub fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, OpenError> {
        let numbers = self.numbers(name, &[rows, columns])?;
        Array2::from_shape_vec((rows, columns), numbers).map_err(|error| unfit(&self.path, &error.to_string()))
    }

    /// A vector of just this length.
    pub fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, OpenError> {
        Ok(Array1::from(self.numbers(name, &[length])?))
    }

    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, OpenError> {
        let name = format!("{}{name}", self.prefix);
        let refuse = |reason: String| unfit(&self.path, &reason);
        let tensor = self.tensors.tensor(&name).map_err(|error| refuse(error.to_string()))?;
        if tensor.shape() != shape {
            return Err(refuse(format!("{name} is of shape {:?}, not {shape:?}", tensor.shape())));
        }
        let numbers: Vec<f32> = match tensor.dtype() {
            Dtype::F32 => tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            Dtype::BF16 => {
                tensor.data().as_chunks().0.iter().map(|[low, high]| f32::from_le_bytes([0, 0, *low, *high])).collect()
            }
            Dtype::F16 => tensor.data().as_chunks().0.iter().map(|bytes| half(u16::from_le_bytes(*bytes))).collect(),
            other => return Err(refuse(format!("{name} holds {other:?}, not numbers with a fraction"))),
        };
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(refuse(format!("{name} holds something that is not a number"))),
        }
    }
}

/// A number of half precision.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let size = match exponent {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    };
    if sign == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn half_precision_is_read() {
        let numbers = [0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff, 0x8000].map(half);
        assert_eq!(numbers, [1.0, -2.0, 0.333_251_95, 5.960_464_5e-8, 65504.0, 0.0]);
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
