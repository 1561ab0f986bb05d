//! The table at the end.

/// Rows of what was measured, each with what it should be where that is stated.
#[derive(Default)]
pub struct Report {
    rows: Vec<[String; 4]>,
}

impl Report {
    /// A row without a target.
    pub fn row(&mut self, what: &str, measured: String, ratio: String) {
        println!("{what}: {measured} {ratio}");
        self.rows.push([what.to_owned(), measured, ratio, String::new()]);
    }

    /// A row with a target.
    pub fn judged(&mut self, what: &str, measured: String, ratio: String, target: &str, met: bool) {
        let verdict = format!("{target}: {}", if met { "met" } else { "MISSED" });
        println!("{what}: {measured} {ratio} ({verdict})");
        self.rows.push([what.to_owned(), measured, ratio, verdict]);
    }

    pub fn print(&self) {
        println!("\n| what | measured | ratio | target |\n|---|---|---|---|");
        for [what, measured, ratio, target] in &self.rows {
            println!("| {what} | {measured} | {ratio} | {target} |");
        }
    }
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
