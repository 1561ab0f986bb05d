//! Views at a point in history.

use ledger::{Find, FindOrder, Page};

use super::{Snapshot, fold};
use crate::Error;
use crate::domain::Stored;
use crate::domain::fact::kind;
use crate::domain::name::normalised;
use crate::domain::view::View;

/// How many views a model's answer and a refusal name.
const VIEWS_SHOWN_MAX: usize = 50;

impl Snapshot<'_> {
    /// The view a caller names by id, or by key or name in any model of the repository.
    pub async fn view(&self, reference: &str) -> Result<Stored<View>, Error> {
        let by_id: Option<Stored<View>> = self.get(View::key_of(reference)).await?;
        if let Some(view) = by_id.filter(|view| view.repository_id == self.ctx.scope.repository.as_str()) {
            return Ok(view);
        }
        let mut known = Vec::new();
        for model in self.models().await? {
            if let Some(view) = self.view_called(&model.id, reference).await? {
                return Ok(view);
            }
            let views = self.views_of(&model.id).await?;
            known.extend(views.into_iter().map(|view| (view.state.id, view.state.name.to_string())));
        }
        known.truncate(VIEWS_SHOWN_MAX);
        Err(Error::NoSuchView { reference: reference.to_owned(), views: known })
    }

    /// The view of a model with this key or this name.
    pub async fn view_called(&self, model_id: &str, reference: &str) -> Result<Option<Stored<View>>, Error> {
        let all = || Find { scope: Some(model_id.to_owned()), limit: 1, ..Find::all(kind::VIEW) };
        let by_key = Find { tag: Some(fold::key_tag(reference)), ..all() };
        let by_name = Find { name: Some(normalised(reference)), ..all() };
        for find in [by_key, by_name] {
            let page: Page<Stored<View>> = self.page(find).await?;
            if let Some(view) = page.items.into_iter().next() {
                return Ok(Some(view));
            }
        }
        Ok(None)
    }

    /// The first views of a model, by name.
    pub async fn views_of(&self, model_id: &str) -> Result<Vec<Stored<View>>, Error> {
        let find = Find {
            scope: Some(model_id.to_owned()),
            order: FindOrder::Name,
            limit: VIEWS_SHOWN_MAX,
            ..Find::all(kind::VIEW)
        };
        Ok(self.page(find).await?.items)
    }
}
