//! Decides writes of relationships.

use contract::Context;

use super::Planner;
use crate::Error;
use crate::domain::relationship::{
    self, CreateRelationship, DeleteRelationship, Link, Relationship, Settled, UpdateRelationship,
};
use crate::domain::{Decision, Stored};
use crate::metamodel::RelationshipType;
use crate::projection::Snapshot;

impl Planner {
    pub async fn create_relationship(
        &self,
        ctx: &Context,
        command: &CreateRelationship,
    ) -> Result<Decision<Link>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let source = snapshot.end("source_id", &command.source, None).await?;
        let target = snapshot.end("target_id", &command.target, Some(source.model_id())).await?;
        let (of, acyclic) = (command.r#type, command.r#type.acyclic_with());
        let around = relationship::Surroundings {
            duplicates: snapshot.relationships_between(source.model_id(), of, source.id(), target.id()).await?,
            wholes: if of == RelationshipType::Composition {
                snapshot.wholes_of(target.id()).await?
            } else {
                Vec::new()
            },
            leads_back: !acyclic.is_empty() && snapshot.leads(target.id(), source.id(), acyclic).await?,
            junctions: snapshot.junctions(&source, &target).await?,
            source,
            target,
        };
        let mut decision = relationship::create(self.profile, &around, command)?;
        decision.notes.resolve("source_id", &command.source, around.source.id());
        decision.notes.resolve("target_id", &command.target, around.target.id());
        Ok(decision)
    }

    pub async fn update_relationship(
        &self,
        ctx: &Context,
        command: &UpdateRelationship,
    ) -> Result<Decision<Settled>, Error> {
        relationship::update(&self.relationship(ctx, "update_relationship.id", &command.id).await?, command)
    }

    pub async fn delete_relationship(
        &self,
        ctx: &Context,
        command: &DeleteRelationship,
    ) -> Result<Decision<Settled>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let touching = snapshot.relationships_with(&command.id).await?;
        let before = self.relationship(ctx, "delete_relationship.id", &command.id).await?;
        relationship::delete(&before, &touching, snapshot.since, command)
    }

    async fn relationship(&self, ctx: &Context, field: &str, id: &str) -> Result<Stored<Relationship>, Error> {
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let found = snapshot.relationship_by_id(id).await?;
        found.ok_or_else(|| Error::NoSuchRelationship { field: field.to_owned(), reference: id.to_owned() })
    }
}
