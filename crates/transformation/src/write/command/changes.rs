//! Change sets as commands: each change read by itself, so that all refusals are known at once.

use std::collections::BTreeSet;

use contract::generated::transformation::{
    AccessType, ApplyChangesIntent, ApplyChangesRequest, ChangeOp, ElementChange,
};
use contract::{CallError, Context, RiskTier};

use super::intent::{cleared, junction_kind};
use super::{Command, strength};
use crate::Error;
use crate::domain::change_set::{Act, CHANGES_MAX, Change, ChangeSet, Delete, Draw, Refused, Update};
use crate::domain::element::CreateElement;
use crate::domain::relationship::{Attributes, CreateRelationship};
use crate::domain::view::SaveView;
use crate::domain::{Name, properties};
use crate::metamodel::{ElementType, RelationshipType};

/// The risk of a set is the highest of its changes.
pub fn tier<'c>(ops: impl IntoIterator<Item = ChangeOp> + 'c) -> RiskTier {
    let risk = |op| match op {
        ChangeOp::OpView => RiskTier::Low,
        ChangeOp::OpCreate | ChangeOp::OpUpdate | ChangeOp::OpRelate => RiskTier::Medium,
        ChangeOp::OpDelete | ChangeOp::Unspecified => RiskTier::High,
    };
    ops.into_iter().map(risk).max().unwrap_or(RiskTier::Low)
}

impl Command {
    pub(super) fn changes(ctx: &Context, request: ApplyChangesRequest) -> Result<Self, Error> {
        ChangeSet::read(ctx, request).map(Self::Changes)
    }

    pub(super) fn changes_of(ctx: &Context, intent: ApplyChangesIntent) -> Result<Self, Error> {
        let unreadable = |error: serde_json::Error| {
            let hint = "give the fields of a change of applyChanges; transformation.getWriteSchema shows them";
            Error::invalid("", format!("cannot be read: {error}"), hint)
        };
        let read_one = |object: contract::Object| serde_json::from_value(object.0.into()).map_err(unreadable);
        read(ctx, intent.changes.into_iter().map(read_one), intent.model_id.as_deref()).map(Self::Changes)
    }
}

impl ChangeSet {
    pub fn read(ctx: &Context, request: ApplyChangesRequest) -> Result<Self, Error> {
        read(ctx, request.changes.into_iter().map(Ok), request.model_id.as_deref())
    }
}

fn read(
    ctx: &Context,
    given: impl ExactSizeIterator<Item = Result<ElementChange, Error>>,
    model: Option<&str>,
) -> Result<ChangeSet, Error> {
    if given.len() == 0 || given.len() > CHANGES_MAX {
        let reason = format!("holds {} changes; a set has 1 to {CHANGES_MAX}", given.len());
        return Err(Error::invalid("changes", reason, "split it where the parts do not need each other"));
    }
    let model = model.map(str::to_owned);
    let mut set = ChangeSet { changes: Vec::new(), model, refused: Vec::new(), lost_keys: BTreeSet::new() };
    for (index, change) in given.enumerate() {
        let key = change.as_ref().ok().and_then(|change| change.key.clone());
        match change.and_then(|change| act(ctx, change, set.model.as_deref())) {
            Ok(act) => set.changes.push(Change { index, key, act }),
            Err(error) => {
                set.refused.push(Refused::new(index, error));
                set.lost_keys.extend(key);
            }
        }
    }
    Ok(set)
}

/// Every change takes the same ids whatever becomes of the others, so that a proposal finds those it reserved.
fn act(ctx: &Context, change: ElementChange, model: Option<&str>) -> Result<Act, Error> {
    let op = change.op();
    let (id, other_id) = (ctx.ids.next(), ctx.ids.next());
    refuse_other_fields(op, &change)?;
    let needed = |field: &'static str, value: Option<String>| {
        value.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
            Error::invalid(field, format!("is missing although op is {}", op.label()), format!("give {field}"))
        })
    };
    Ok(match op {
        ChangeOp::OpCreate => {
            let word = needed("type", change.r#type)?;
            let r#type = ElementType::from_spelling(&word)
                .ok_or(Error::NoSuchElementType { field: "type".to_owned(), value: word })?;
            Act::Create(CreateElement {
                id,
                chosen_id: false,
                relationship_id: other_id,
                now: ctx.now,
                r#type,
                name: Name::new("name", &change.name.unwrap_or_default())?,
                key: None,
                description: properties::description("description", change.description)?,
                properties: properties::given(change.properties.unwrap_or_default().0)?,
                profile: None,
                junction: change.junction_kind.map(junction_kind).transpose()?,
                model: model.map(str::to_owned),
                parent: change.parent_id,
            })
        }
        ChangeOp::OpRelate => {
            let word = needed("type", change.r#type)?;
            let r#type = RelationshipType::from_spelling(&word)
                .ok_or(Error::NoSuchRelationshipType { field: "type".to_owned(), value: word })?;
            let name = change.name.filter(|name| !name.trim().is_empty());
            Act::Relate(CreateRelationship {
                id,
                r#type,
                source: needed("source_id", change.source_id)?,
                target: needed("target_id", change.target_id)?,
                name: name.map(|name| Name::new("name", &name)).transpose()?,
                description: properties::description("description", change.description)?,
                attributes: Attributes {
                    access_type: change.access_type.map(access_type).transpose()?,
                    strength: strength(change.strength)?,
                    directed: change.directed,
                },
            })
        }
        ChangeOp::OpView => {
            let name = match (&change.id, change.name) {
                (None, name) => Some(needed("name", name)?),
                (Some(_), name) => name,
            };
            Act::Draw(Draw {
                shows: change.shows,
                view: SaveView {
                    id,
                    now: ctx.now,
                    model: if change.id.is_none() { model.map(str::to_owned) } else { None },
                    view: change.id,
                    name: name.map(|name| Name::new("name", &name)).transpose()?,
                    description: cleared("description", change.description)?,
                    viewpoint: change.viewpoint,
                    key: None,
                    layout: None,
                    expected_version: change.expected_version,
                    field: "view",
                },
            })
        }
        ChangeOp::OpUpdate => Act::Update(Update {
            reference: needed("id", change.id)?,
            now: ctx.now,
            name: change.name.map(|name| Name::new("name", &name)).transpose()?,
            description: cleared("description", change.description)?,
            properties: change.properties.map(|properties| properties.0),
            expected_version: change.expected_version,
        }),
        ChangeOp::OpDelete => {
            Act::Delete(Delete { reference: needed("id", change.id)?, expected_version: change.expected_version })
        }
        ChangeOp::Unspecified => {
            let words: Vec<&str> = ChangeOp::ALL.iter().map(|op| op.label()).collect();
            return Err(Error::invalid("op", "is missing".to_owned(), format!("give one of {}", words.join(", "))));
        }
    })
}

/// Refuses a field that the change would not look at.
fn refuse_other_fields(op: ChangeOp, change: &ElementChange) -> Result<(), Error> {
    use ChangeOp::{OpCreate, OpDelete, OpRelate, OpUpdate, OpView};
    let fields: [(&str, bool, &[ChangeOp]); 13] = [
        ("type", change.r#type.is_some(), &[OpCreate, OpRelate]),
        ("name", change.name.is_some(), &[OpCreate, OpUpdate, OpRelate, OpView]),
        ("description", change.description.is_some(), &[OpCreate, OpUpdate, OpRelate, OpView]),
        ("properties", change.properties.is_some(), &[OpCreate, OpUpdate]),
        ("id", change.id.is_some(), &[OpUpdate, OpDelete, OpView]),
        ("source_id", change.source_id.is_some(), &[OpRelate]),
        ("target_id", change.target_id.is_some(), &[OpRelate]),
        ("parent_id", change.parent_id.is_some(), &[OpCreate]),
        ("shows", !change.shows.is_empty(), &[OpView]),
        ("expected_version", change.expected_version.is_some(), &[OpUpdate, OpDelete, OpView]),
        ("access_type", change.access_type.is_some(), &[OpRelate]),
        ("junction_kind", change.junction_kind.is_some(), &[OpCreate]),
        ("viewpoint", change.viewpoint.is_some(), &[OpView]),
    ];
    match fields.into_iter().find(|(_, given, ops)| *given && !ops.contains(&op) && op != ChangeOp::Unspecified) {
        None => Ok(()),
        Some((field, _, ops)) => {
            let words: Vec<&str> = ops.iter().map(|op| op.label()).collect();
            let reason = format!("does not go with op {}", op.label());
            Err(Error::invalid(field, reason, format!("leave {field} out; it belongs to {}", words.join(", "))))
        }
    }
}

fn access_type(text: String) -> Result<String, Error> {
    AccessType::from_label(&text).map(|access| access.label().to_owned()).ok_or_else(|| {
        let words: Vec<&str> = AccessType::ALL.iter().map(|access| access.label()).collect();
        let hint = format!("give one of {}", words.join(", "));
        Error::invalid("access_type", format!("'{text}' is not an access type"), hint)
    })
}

/// What a refusal of a planner calls a field, as a change calls it.
pub fn in_change(index: usize, error: Error) -> CallError {
    let mut published = CallError::from(error);
    // Corrections are about arguments of a tool, and a change is none.
    published.corrections.clear();
    let field = published.field.take().unwrap_or_default();
    let own = field.rsplit_once("nodes[").map_or_else(
        || field.rsplit('.').next().unwrap_or_default().to_owned(),
        |(_, node)| format!("shows[{}]", node.split(']').next().unwrap_or_default()),
    );
    let own = match own.as_str() {
        "view_id" | "element_id" | "cascade" => "id",
        other => other,
    };
    let path = format!("changes[{index}]");
    published.field = Some(if own.is_empty() { path } else { format!("{path}.{own}") });
    published
}
