//! The ledger without a server around it.

use std::time::Instant;

use ledger::{At, Direction, Ledger as _, Traverse};
use scope::Scope;

use crate::report::Report;
use crate::seed;

/// Two hops along links, in a small and in a large store.
pub async fn traversal(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let mut costs = Vec::new();
    for count in [1000, if quick { 10_000 } else { 100_000 }] {
        let folder = tempfile::tempdir()?;
        let (ledger, ids) = seed::elements(folder.path(), count).await?;
        let tenant = Scope::local().tenant;
        let head = ledger.point(&tenant, At::Head).await?;
        let begin = Instant::now();
        const WALKS: usize = 2000;
        for walk in 0..WALKS {
            let traverse = Traverse {
                from: ids[walk * 7919 % ids.len()].clone(),
                kind: "transformation.relationship".to_owned(),
                types: Vec::new(),
                direction: Direction::Both,
                hops_max: 2,
                records_max: 100,
            };
            ledger.traverse(&tenant, head, traverse).await?;
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of walks is small")]
        costs.push(begin.elapsed().as_secs_f64() * 1e6 / WALKS as f64);
    }
    let ratio = costs[1] / costs[0];
    report.row("2-hop traversal, large store to small", format!("{:.0} us, {:.0} us", costs[1], costs[0]), format!("{ratio:.2}"));
    Ok(())
}
