//! The capabilities in the box. Adding one is one line here.

use desk::Module;

pub static MODULES: &[&dyn Module] = &[
    // In the order of the endpoints and of help.
    &transformation::Module,
    &monitor::Module,
    &neotoma::Module,
];
