//! The capabilities in the box. Adding one is one line here.

use desk::Module;

pub static MODULES: &[&dyn Module] = &[&transformation::Module, &neotoma::Module];
