//! What a caller means by a reference: an id, a key or a unique name, in this order.

use std::collections::BTreeSet;

use ledger::{Find, FindOrder, LIVE, Page, Search};

use super::{Snapshot, fold};
use crate::Error;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::id;
use crate::domain::model::{ACTIVE, Model};
use crate::domain::name::{normalised, words};
use crate::domain::relationship::End;
use crate::domain::{Mention, Stored};
use crate::error::BaselineRefusal;

/// How many models are looked through for a name that the model at hand does not have.
const MODELS_MAX: usize = 50;
/// How many elements a refusal names.
const SIMILAR_MAX: usize = 5;
/// Below this likeness a name is not similar, unless full-text search found it.
const LIKENESS_MIN: f64 = 0.8;

/// How many ids are compared for each start that is tried.
const NEAR_IDS_READ: usize = 100;
/// A lost letter, or two that changed places.
const ID_SLIPS_MAX: usize = 2;

impl Snapshot<'_> {
    /// The models of the repository, oldest first.
    pub async fn models(&self) -> Result<Vec<Stored<Model>>, Error> {
        Ok(self.models_page(self.all_models()).await?.items)
    }

    /// One page of [`Self::all_models`]; through a baseline there is one model.
    pub async fn models_page(&self, find: Find) -> Result<Page<Stored<Model>>, Error> {
        match self.through.as_deref() {
            None => self.page(find).await,
            Some(through) => {
                let model: Option<Stored<Model>> = self.get(Model::key_of(&through.model_id)).await?;
                Ok(Page { items: model.into_iter().collect(), next: None })
            }
        }
    }

    /// The query for [`Self::models`], to be narrowed or paged.
    pub fn all_models(&self) -> Find {
        Find { scope: Some(self.ctx.scope.repository.to_string()), limit: MODELS_MAX, ..Find::all(kind::MODEL) }
    }

    /// The id of the model that writes without `model_id` go to.
    pub async fn active_model_id(&self) -> Result<Option<String>, Error> {
        Ok(self.repository().await?.and_then(|repository| repository.state.active_model_id))
    }

    /// The id of the model a caller names, or of the active one.
    pub async fn model_id(&self, reference: Option<&str>) -> Result<String, Error> {
        match reference {
            Some(reference) => Ok(self.model(reference).await?.state.id),
            None => match self.through.as_deref() {
                Some(through) => Ok(through.model_id.clone()),
                None => self.active_model_id().await?.ok_or(Error::NoDefaultModel),
            },
        }
    }

    /// The model a caller names, unless the baseline leaves it out.
    pub async fn model(&self, reference: &str) -> Result<Stored<Model>, Error> {
        let model = self.any_model(reference).await?;
        self.refuse_other_model(&model.id)?;
        Ok(model)
    }

    /// Refuses a model that the baseline leaves out.
    pub fn refuse_other_model(&self, model_id: &str) -> Result<(), Error> {
        match self.through.as_deref() {
            Some(through) if through.model_id != model_id => Err(Error::from(BaselineRefusal::OtherModel {
                model_id: model_id.to_owned(),
                baseline_id: through.baseline_id.clone(),
                expected: through.model_id.clone(),
            })),
            _ => Ok(()),
        }
    }

    async fn any_model(&self, reference: &str) -> Result<Stored<Model>, Error> {
        if let Some(model) = self.find_model(reference).await? {
            return Ok(model);
        }
        // What is not there yet at this point may be there now.
        let now = Self { at: LIVE, through: None, ..self.clone() };
        let began = now.find_model(reference).await?.map(|model| model.at);
        let models = self.models().await?.into_iter().map(|model| (model.state.id, model.state.key)).collect();
        let active = self.active_model_id().await?;
        Err(Error::NoSuchModel { reference: reference.to_owned(), models, active, began })
    }

    async fn find_model(&self, reference: &str) -> Result<Option<Stored<Model>>, Error> {
        let by_id: Option<Stored<Model>> = self.get(Model::key_of(&id::usual_form(reference))).await?;
        if let Some(model) = by_id.filter(|model| model.repository_id == self.ctx.scope.repository.as_str()) {
            return Ok(Some(model));
        }
        let by_key = Find { tag: Some(fold::key_tag(reference)), limit: 1, ..self.all_models() };
        let by_name = Find { name: Some(normalised(reference)), limit: 2, ..self.all_models() };
        for find in [by_key, by_name] {
            let mut page: Page<Stored<Model>> = self.page(find).await?;
            if page.items.len() == 1 {
                return Ok(Some(page.items.remove(0)));
            }
        }
        if reference == ACTIVE
            && let Some(id) = self.active_model_id().await?
        {
            return self.get(Model::key_of(&id)).await;
        }
        Ok(None)
    }

    /// The element a caller names in `field`. Keys and names are looked up in the model at hand first, then in the others.
    pub async fn element(
        &self,
        field: &'static str,
        reference: &str,
        model_id: Option<&str>,
    ) -> Result<Stored<Element>, Error> {
        if let Some(element) = self.element_by_id(reference).await? {
            return Ok(element);
        }
        let home = match model_id {
            Some(model_id) => Some(model_id.to_owned()),
            None => self.model_id(None).await.ok(),
        };
        let mut found = Vec::new();
        if let Some(home) = &home {
            found = self.elements_called(home, reference).await?;
        }
        if found.is_empty() {
            for model in self.models().await?.iter().filter(|model| Some(&model.id) != home.as_ref()) {
                found.extend(self.elements_called(&model.id, reference).await?);
            }
        }
        match found.len() {
            0 => {
                let similar = match &home {
                    _ if id::is_nearly_one(reference) => self.near_ids(reference).await?,
                    Some(home) => self.similar(home, reference).await?,
                    None => Vec::new(),
                };
                let similar = similar.iter().map(|element| element.mention()).collect();
                Err(Error::NoSuchElement { field, reference: reference.to_owned(), model_id: home, similar })
            }
            1 => Ok(found.remove(0)),
            _ => {
                let candidates: Vec<Mention> = found.iter().map(|element| element.mention()).collect();
                Err(Error::Ambiguous { field, reference: reference.to_owned(), candidates })
            }
        }
    }

    /// The end of a relationship that a caller names in `field`: an element, or a relationship by its id.
    pub async fn end(&self, field: &'static str, reference: &str, model_id: Option<&str>) -> Result<End, Error> {
        match self.element(field, reference, model_id).await {
            Err(refusal @ Error::NoSuchElement { .. }) => {
                let relationship = self.relationship_by_id(reference).await?;
                relationship.map(End::Relationship).ok_or(refusal)
            }
            found => found.map(End::Element),
        }
    }

    /// The element of a model with this key, or else the elements with this name.
    async fn elements_called(&self, model_id: &str, reference: &str) -> Result<Vec<Stored<Element>>, Error> {
        if let Some(element) = self.element_by_key(model_id, reference).await? {
            return Ok(vec![element]);
        }
        self.namesakes(model_id, normalised(reference)).await
    }

    /// The element of a model with this key.
    pub async fn element_by_key(&self, model_id: &str, key: &str) -> Result<Option<Stored<Element>>, Error> {
        let find = Find {
            scope: Some(model_id.to_owned()),
            tag: Some(fold::key_tag(key)),
            limit: 1,
            ..Find::all(kind::ELEMENT)
        };
        Ok(self.page(find).await?.items.into_iter().next())
    }

    /// Elements of the repository whose id is a slip away from `reference`. Ids that start alike stand side by side, so a
    /// few short reads find a slip anywhere but at the very start.
    async fn near_ids(&self, reference: &str) -> Result<Vec<Stored<Element>>, Error> {
        let wanted = reference.to_ascii_lowercase();
        let mut found: Vec<Stored<Element>> = Vec::new();
        for start in [24, 13, 6, 2] {
            let after = wanted.get(..start).map(str::to_owned);
            let page: Page<Stored<Element>> =
                self.page(Find { after, limit: NEAR_IDS_READ, ..Find::all(kind::ELEMENT) }).await?;
            found.extend(page.items.into_iter().filter(|element| {
                element.repository_id == self.ctx.scope.repository.as_str()
                    && strsim::osa_distance(&wanted, &element.id) <= ID_SLIPS_MAX
            }));
            if !found.is_empty() {
                break;
            }
        }
        found.sort_by_cached_key(|element| (strsim::osa_distance(&wanted, &element.id), element.id.clone()));
        found.dedup_by(|a, b| a.id == b.id);
        found.truncate(SIMILAR_MAX);
        Ok(found)
    }

    /// Elements of a model whose name is like `text`, most alike first.
    pub async fn similar(&self, model_id: &str, text: &str) -> Result<Vec<Stored<Element>>, Error> {
        let wanted = normalised(text);
        let search = Search {
            kind: kind::ELEMENT.to_owned(),
            scope: Some(model_id.to_owned()),
            r#type: None,
            text: words(text),
            all_words: false,
            prefix: true,
            weighed_max: ledger::words::CANDIDATES_MAX,
            limit: 20,
        };
        let hits = self.search(search).await?;
        let mut found = hits.iter().map(|hit| self.read(&hit.version)).collect::<Result<Vec<Stored<Element>>, _>>()?;
        let known: BTreeSet<String> = found.iter().map(|element| element.id.clone()).collect();
        // Search knows whole words; a typing error is found among the names that start alike.
        let near: Page<Stored<Element>> = self.page(with_prefix_of(model_id, &wanted)).await?;
        let alike = |element: &Stored<Element>| strsim::jaro_winkler(&wanted, &element.name.normalised());
        found.extend(
            near.items.into_iter().filter(|element| !known.contains(&element.id) && alike(element) >= LIKENESS_MIN),
        );
        found.sort_by(|a, b| alike(b).total_cmp(&alike(a)).then_with(|| a.id.cmp(&b.id)));
        found.truncate(SIMILAR_MAX);
        Ok(found)
    }
}

fn with_prefix_of(model_id: &str, name: &str) -> Find {
    Find {
        scope: Some(model_id.to_owned()),
        name_prefix: Some(name.chars().take(3).collect()),
        order: FindOrder::Name,
        limit: 100,
        ..Find::all(kind::ELEMENT)
    }
}
