//! Which types of relationship may join which types of element, a page at a time.

use contract::generated::transformation::{RelationshipTypeInfo, TypePair};

use crate::metamodel::{ElementType, Profile, RelationshipType};

/// The pairs of one relationship type, those that readers look for first.
pub struct Pairs {
    pub r#type: RelationshipType,
    pairs: Vec<(ElementType, ElementType)>,
}

/// What narrows the pairs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub r#type: Option<RelationshipType>,
    pub source: Option<ElementType>,
    pub target: Option<ElementType>,
}

/// The types that a filter leaves, each with at least one pair.
pub fn permitted(profile: Profile, filter: Filter) -> Vec<Pairs> {
    let fits = |wanted: Option<ElementType>| ElementType::all().filter(move |of| wanted.is_none_or(|wanted| wanted == *of));
    RelationshipType::ALL
        .into_iter()
        .filter(|of| filter.r#type.is_none_or(|wanted| wanted == *of))
        .filter_map(|of| {
            let all = fits(filter.source).flat_map(|source| fits(filter.target).map(move |target| (source, target)));
            let mut pairs: Vec<_> = all.filter(|&(source, target)| profile.permits(of, source, target)).collect();
            pairs.sort_by_key(|&(source, target)| (familiarity(of, source, target), source, target));
            (!pairs.is_empty()).then_some(Pairs { r#type: of, pairs })
        })
        .collect()
}

impl Pairs {
    /// The description of the type with its pairs from `offset` on; nothing when there are none left.
    pub fn info(&self, profile: Profile, offset: usize, most: usize) -> Option<RelationshipTypeInfo> {
        let shown: Vec<TypePair> = self.pairs.iter().skip(offset).take(most).map(|&(source, target)| self.pair(profile, source, target)).collect();
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
