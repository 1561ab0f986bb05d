//! Which types of relationship may join which types of element, a page at a time.

use contract::generated::transformation::{RelationshipTypeInfo, TypePair};

use crate::metamodel::{Concept, Concepts, ElementType, Profile, RelationshipType};

/// The pairs of one relationship type, those that readers look for first.
pub struct Pairs {
    pub r#type: RelationshipType,
    pairs: Vec<(ElementType, ElementType)>,
}

/// What narrows the pairs.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairFilter {
    pub r#type: Option<RelationshipType>,
    pub source: Option<ElementType>,
    pub target: Option<ElementType>,
}

/// The types that a filter leaves, each with at least one pair.
pub fn permitted(profile: Profile, filter: PairFilter) -> Vec<Pairs> {
    RelationshipType::ALL
        .into_iter()
        .filter(|of| filter.r#type.is_none_or(|wanted| wanted == *of))
        .map(|of| Pairs { r#type: of, pairs: pairs_of(profile, of, filter) })
        .filter(|pairs| !pairs.pairs.is_empty())
        .collect()
}

fn pairs_of(profile: Profile, of: RelationshipType, filter: PairFilter) -> Vec<(ElementType, ElementType)> {
    let all = Concepts::ELEMENTS.union(Concept::JUNCTION.bit());
    let wanted = filter.target.map_or(all, |target| Concept::from(target).bit());
    let mut pairs: Vec<(ElementType, ElementType)> = ElementType::all()
        .filter(|source| filter.source.is_none_or(|wanted| wanted == *source))
        .flat_map(|source| {
            let targets = profile.table().targets(of, source.into()).common(wanted);
            targets.iter().filter_map(move |target| Some((source, ElementType::from_index(target.index())?)))
        })
        .collect();
    pairs.sort_by_cached_key(|&(source, target)| (familiarity(of, source, target), source, target));
    pairs
}

impl Pairs {
    /// The description of the type with its pairs from `offset` on; nothing when there are none left.
    pub fn info(&self, profile: Profile, offset: usize, most: usize) -> Option<RelationshipTypeInfo> {
        let shown: Vec<TypePair> = self
            .pairs
            .iter()
            .skip(offset)
            .take(most)
            .map(|&(source, target)| self.pair(profile, source, target))
            .collect();
        if shown.is_empty() {
            return None;
        }
        let cut = shown.len() < self.pairs.len();
        Some(RelationshipTypeInfo {
            r#type: self.r#type.into(),
            description: self.r#type.description().to_owned(),
            valid_pairs: shown,
            direction: self.r#type.direction().to_owned(),
            pairs_total: cut.then(|| u32::try_from(self.pairs.len()).unwrap_or(u32::MAX)),
        })
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    fn pair(&self, profile: Profile, source: ElementType, target: ElementType) -> TypePair {
        let extension = profile.extends(self.r#type, source, target).then_some(true);
        TypePair { source: source.into(), target: target.into(), extension }
    }
}

/// 0 for the pairs that the specification shows, 1 for pairs within a layer, 2 for the rest.
fn familiarity(of: RelationshipType, source: ElementType, target: ElementType) -> u8 {
    const SHOWN: [(&str, &str, &str); 6] = [
        ("Realization", "ApplicationComponent", "ApplicationService"),
        ("Realization", "BusinessProcess", "BusinessService"),
        ("Serving", "ApplicationService", "BusinessProcess"),
        ("Serving", "ApplicationComponent", "ApplicationComponent"),
        ("Composition", "Capability", "Capability"),
        ("Composition", "ApplicationComponent", "ApplicationComponent"),
    ];
    if SHOWN.contains(&(of.label(), source.label(), target.label())) {
        0
    } else if source.layer() == target.layer() {
        1
    } else {
        2
    }
}
