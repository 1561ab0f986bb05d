//! Values that complete an argument while it is typed.

use contract::Context;
use ledger::{Find, FindOrder, Ledger, Page};

use crate::Error;
use crate::domain::Stored;
use crate::domain::baseline::Baseline;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::name::normalised;
use crate::metamodel::{ElementType, Layer, RelationshipType, nearest};
use crate::projection::Snapshot;

/// The protocol shows at most this many values.
const VALUES_MAX: usize = 100;

/// Values for `argument` that start like `typed`, best first.
pub async fn complete(ledger: &dyn Ledger, ctx: &Context, argument: &str, typed: &str) -> Result<Vec<String>, Error> {
    match argument {
        "type" | "element_type" | "source_type" | "target_type" => {
            Ok(among(typed, &ElementType::all().map(ElementType::label).collect::<Vec<_>>()))
        }
        "relationship_type" => Ok(among(typed, &RelationshipType::ALL.map(RelationshipType::label))),
        "layer" => Ok(among(typed, &Layer::ALL.map(Layer::label))),
        "model_id" => models(ledger, ctx, typed).await,
        "baseline_id" => baselines(ledger, ctx, typed).await,
        "element_id" | "element" => elements(ledger, ctx, typed, None).await,
        "capability" => elements(ledger, ctx, typed, Some(ElementType::CAPABILITY)).await,
        _ => Ok(Vec::new()),
    }
}

fn among(typed: &str, words: &[&'static str]) -> Vec<String> {
    let start = typed.to_lowercase();
    let (mut found, others): (Vec<&'static str>, Vec<&'static str>) =
        words.iter().partition(|word| word.to_lowercase().starts_with(&start));
    found.extend(nearest(typed, others));
    found.into_iter().take(VALUES_MAX).map(str::to_owned).collect()
}

async fn models(ledger: &dyn Ledger, ctx: &Context, typed: &str) -> Result<Vec<String>, Error> {
    let models = Snapshot::head(ledger, ctx).await?.models().await?;
    Ok(models.into_iter().map(|model| model.state.key).filter(|key| key.starts_with(typed)).collect())
}

async fn baselines(ledger: &dyn Ledger, ctx: &Context, typed: &str) -> Result<Vec<String>, Error> {
    let snapshot = Snapshot::head(ledger, ctx).await?;
    let find = Find {
        name_prefix: Some(normalised(typed)).filter(|prefix| !prefix.is_empty()),
        order: FindOrder::Name,
        limit: VALUES_MAX,
        ..snapshot.all_baselines()
    };
    let page: Page<Stored<Baseline>> = snapshot.page(find).await?;
    Ok(page.items.iter().map(|baseline| baseline.name.to_string()).collect())
}

/// Names of the active model, since a name is what a person knows.
async fn elements(
    ledger: &dyn Ledger,
    ctx: &Context,
    typed: &str,
    r#type: Option<ElementType>,
) -> Result<Vec<String>, Error> {
    let snapshot = Snapshot::head(ledger, ctx).await?;
    let Some(model_id) = snapshot.active_model_id().await? else { return Ok(Vec::new()) };
    let find = Find {
        scope: Some(model_id),
        r#type: r#type.map(|of| of.label().to_owned()),
        name_prefix: Some(normalised(typed)).filter(|prefix| !prefix.is_empty()),
        order: FindOrder::Name,
        limit: VALUES_MAX,
        ..Find::all(kind::ELEMENT)
    };
    let page: Page<Stored<Element>> = snapshot.page(find).await?;
    Ok(page.items.iter().map(|element| element.name.to_string()).collect())
}
