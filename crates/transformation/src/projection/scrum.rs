//! Products and what belongs to them, found by id, key or title.

use ledger::{Find, Page, RecordKey};
use serde::de::DeserializeOwned;

use super::{Snapshot, fold};
use crate::Error;
use crate::domain::name::normalised;
use crate::domain::scrum::done::{DefinitionOfDone, Increment};
use crate::domain::scrum::item::{Item, ItemStatus};
use crate::domain::scrum::product::Product;
use crate::domain::scrum::refusal::{Aggregate, Handle};
use crate::domain::scrum::sprint::Sprint;
use crate::domain::scrum::{Refusal, Versioned, kind};

/// How many candidates a refusal names.
const KNOWN_MAX: usize = 10;
const PAGE: usize = 500;

/// Something that belongs to a product and can be named.
trait OfProduct: DeserializeOwned + Send {
    const AGGREGATE: Aggregate;
    const KIND: &'static str;
    fn product_id(&self) -> &str;
    fn handle(&self) -> Handle;
}

impl OfProduct for Item {
    const AGGREGATE: Aggregate = Aggregate::Item;
    const KIND: &'static str = kind::ITEM;

    fn product_id(&self) -> &str {
        &self.product_id
    }

    fn handle(&self) -> Handle {
        Handle { id: self.id.clone(), title: self.title.to_string() }
    }
}

impl OfProduct for Sprint {
    const AGGREGATE: Aggregate = Aggregate::Sprint;
    const KIND: &'static str = kind::SPRINT;

    fn product_id(&self) -> &str {
        &self.product_id
    }

    fn handle(&self) -> Handle {
        Handle { id: self.id.clone(), title: self.name.to_string() }
    }
}

impl OfProduct for DefinitionOfDone {
    const AGGREGATE: Aggregate = Aggregate::DefinitionOfDone;
    const KIND: &'static str = kind::DEFINITION_OF_DONE;

    fn product_id(&self) -> &str {
        &self.product_id
    }

    fn handle(&self) -> Handle {
        Handle { id: self.id.clone(), title: DefinitionOfDone::handle(self) }
    }
}

impl Snapshot<'_> {
    /// The product with this id or key, if there is one.
    pub async fn find_product(&self, reference: &str) -> Result<Option<Versioned<Product>>, Error> {
        let by_id: Option<crate::domain::Stored<Product>> = self.get(Product::key_of(reference)).await?;
        let own = by_id.filter(|product| product.repository_id == self.ctx.scope.repository.as_str());
        if let Some(product) = own {
            return Ok(Some(product.into()));
        }
        let find = Find { tag: Some(fold::key_tag(reference)), limit: 1, ..self.all_products() };
        Ok(self.versions(find).await?.items.pop())
    }

    /// The product with this id or key.
    pub async fn product(&self, reference: &str) -> Result<Versioned<Product>, Error> {
        if let Some(product) = self.find_product(reference).await? {
            return Ok(product);
        }
        let known: Page<Versioned<Product>> = self.versions(self.all_products()).await?;
        let handle = |product: Versioned<Product>| Handle { id: product.state.id, title: product.state.key };
        let refusal = Refusal::NotFound {
            aggregate: Aggregate::Product,
            field: "product_id",
            reference: reference.to_owned(),
            known: known.items.into_iter().map(handle).collect(),
        };
        Err(refusal.into())
    }

    fn all_products(&self) -> Find {
        Find { scope: Some(self.ctx.scope.repository.to_string()), limit: KNOWN_MAX, ..Find::all(kind::PRODUCT) }
    }

    pub async fn backlog_item(
        &self,
        field: &'static str,
        product_id: &str,
        reference: &str,
    ) -> Result<Versioned<Item>, Error> {
        self.of_product(field, product_id, reference).await
    }

    /// The items that a caller names in a list, in its order.
    pub async fn backlog_items(
        &self,
        field: &'static str,
        product_id: &str,
        references: &[String],
    ) -> Result<Vec<Versioned<Item>>, Error> {
        let mut items = Vec::with_capacity(references.len());
        for reference in references {
            items.push(self.backlog_item(field, product_id, reference).await?);
        }
        Ok(items)
    }

    pub async fn sprint(
        &self,
        field: &'static str,
        product_id: &str,
        reference: &str,
    ) -> Result<Versioned<Sprint>, Error> {
        self.of_product(field, product_id, reference).await
    }

    pub async fn definition_of_done(
        &self,
        field: &'static str,
        product_id: &str,
        reference: &str,
    ) -> Result<Versioned<DefinitionOfDone>, Error> {
        self.of_product(field, product_id, reference).await
    }

    /// The item with this key.
    pub async fn item_by_key(&self, product_id: &str, key: &str) -> Result<Option<Versioned<Item>>, Error> {
        self.by_key(product_id, key).await
    }

    /// The sprint with this key.
    pub async fn sprint_by_key(&self, product_id: &str, key: &str) -> Result<Option<Versioned<Sprint>>, Error> {
        self.by_key(product_id, key).await
    }

    /// All items of a product that are not done, in the order of their creation.
    pub async fn open_items(&self, product_id: &str) -> Result<Vec<Versioned<Item>>, Error> {
        let mut items = Vec::new();
        for status in [ItemStatus::InProductBacklog, ItemStatus::SelectedForSprint] {
            let status = Some(fold::scrum::status_word(status).to_owned());
            items.extend(self.every(Find { status, ..within(kind::ITEM, product_id) }).await?);
        }
        items.sort_by(|one: &Versioned<Item>, other| one.id.cmp(&other.id));
        Ok(items)
    }

    /// The items with these ids.
    pub async fn items_by_id(&self, ids: &[String]) -> Result<Vec<Versioned<Item>>, Error> {
        let keys: Vec<RecordKey> = ids.iter().map(|id| Item::key_of(id)).collect();
        let found = self.ledger.get(&self.ctx.scope.tenant, self.at, &keys).await?;
        found.iter().flatten().map(|version| Ok(self.read::<Item>(version)?.into())).collect()
    }

    pub async fn sprints_of(&self, product_id: &str) -> Result<Vec<Versioned<Sprint>>, Error> {
        self.every(within(kind::SPRINT, product_id)).await
    }

    pub async fn definitions_of_done(&self, product_id: &str) -> Result<Vec<Versioned<DefinitionOfDone>>, Error> {
        self.every(within(kind::DEFINITION_OF_DONE, product_id)).await
    }

    /// The increments of a product, or of one of its sprints.
    pub async fn increments(
        &self,
        product_id: &str,
        sprint_id: Option<&str>,
    ) -> Result<Vec<Versioned<Increment>>, Error> {
        self.every(Find { tag: sprint_id.map(fold::scrum::sprint_tag), ..within(kind::INCREMENT, product_id) }).await
    }

    async fn by_key<T: OfProduct>(&self, product_id: &str, key: &str) -> Result<Option<Versioned<T>>, Error> {
        let find = Find { tag: Some(fold::key_tag(key)), limit: 1, ..within(T::KIND, product_id) };
        Ok(self.versions(find).await?.items.pop())
    }

    /// An id, a key or a unique title, in this order.
    async fn of_product<T: OfProduct>(
        &self,
        field: &'static str,
        product_id: &str,
        reference: &str,
    ) -> Result<Versioned<T>, Error> {
        let by_id: Option<crate::domain::Stored<T>> = self.get(RecordKey::new(T::KIND, reference)).await?;
        if let Some(found) = by_id.filter(|found| found.product_id() == product_id) {
            return Ok(found.into());
        }
        if let Some(found) = self.by_key(product_id, reference).await? {
            return Ok(found);
        }
        let find = Find { name: Some(normalised(reference)), limit: KNOWN_MAX, ..within(T::KIND, product_id) };
        let mut named: Vec<Versioned<T>> = self.versions(find).await?.items;
        let reference = reference.to_owned();
        match named.len() {
            1 => Ok(named.remove(0)),
            0 => {
                let find = Find { limit: KNOWN_MAX, ..within(T::KIND, product_id) };
                let known: Vec<Versioned<T>> = self.versions(find).await?.items;
                let known = known.iter().map(|found| found.handle()).collect();
                Err(Refusal::NotFound { aggregate: T::AGGREGATE, field, reference, known }.into())
            }
            _ => {
                let candidates = named.iter().map(|found| found.handle()).collect();
                Err(Refusal::Ambiguous { aggregate: T::AGGREGATE, field, reference, candidates }.into())
            }
        }
    }

    async fn every<T: DeserializeOwned>(&self, mut find: Find) -> Result<Vec<Versioned<T>>, Error> {
        let mut all = Vec::new();
        find.limit = PAGE;
        loop {
            let page = self.versions(find.clone()).await?;
            all.extend(page.items);
            match page.next {
                Some(next) => find.after = Some(next),
                None => return Ok(all),
            }
        }
    }

    pub async fn versions<T: DeserializeOwned>(&self, find: Find) -> Result<Page<Versioned<T>>, Error> {
        let page = self.page(find).await?;
        Ok(Page { items: page.items.into_iter().map(Into::into).collect(), next: page.next })
    }
}

/// Everything of a kind that belongs to a product.
pub fn within(kind: &str, product_id: &str) -> Find {
    Find { scope: Some(product_id.to_owned()), ..Find::all(kind) }
}
