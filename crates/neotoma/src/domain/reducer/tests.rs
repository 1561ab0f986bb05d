//! Tests of the reducer.
