//! Queries reach the query side only, commands the write side only.

use contract::generated::transformation::*;
use contract::{CallError, Context, Side};
use serde_json::json;
use transformation::query::ArchitectureQuery;

use crate::world::World;

/// A side that must not be reached.
struct Unreachable;

//
#[tokio::test]
async fn each_side_works_with_the_other_one_missing() {
    let world = World::new().await;
    let real = world.capability.services().clone();
    let read_only = Services {
        archi_mate_query: real.archi_mate_query.clone(),
        definition_query: real.definition_query.clone(),
        scrum_query: real.scrum_query.clone(),
        write_guide_query: real.write_guide_query.clone(),
        scrum_write: Unreachable,
        transformation_architecture_write: Unreachable,
    };
    let write_only = Services {
        archi_mate_query: Unreachable,
        definition_query: Unreachable,
        scrum_query: Unreachable,
        write_guide_query: Unreachable,
        scrum_write: real.scrum_write.clone(),
        transformation_architecture_write: real.transformation_architecture_write.clone(),
    };
    for tool in manifest().tools {
        for example in &tool.examples {
            let arguments = example.input.as_object().cloned().unwrap();
            let ctx = world.ctx();
            // Whatever the answer is, reaching the wrong side would panic.
            let _ = match tool.side {
                Side::Query => read_only.call(&ctx, &tool.name, arguments).await,
                Side::Command => write_only.call(&ctx, &tool.name, arguments).await,
            };
        }
    }
    let answer = world.call("listElements", json!({"model_id": "default"})).await;
    assert!(!answer["elements"].as_array().unwrap().is_empty());
    let _: &ArchitectureQuery = &real.archi_mate_query;
}

macro_rules! unreachable_service {
    ($service:ident { $($method:ident($request:ty) -> $response:ty;)* }) => {
        impl $service for Unreachable {
            $(async fn $method(&self, _: &Context, _: $request) -> Result<$response, CallError> {
                panic!("{} was reached", stringify!($method));
            })*
        }
    };
}

unreachable_service!(ArchiMateQueryService {
    list_models(ListModelsRequest) -> ListModelsResponse;
    get_archimate_model(GetArchimateModelRequest) -> GetArchimateModelResponse;
    get_element(GetElementRequest) -> GetElementResponse;
    get_relationship(GetRelationshipRequest) -> GetRelationshipResponse;
    list_archimate_elements(ListArchimateElementsRequest) -> ListArchimateElementsResponse;
    list_archimate_relationships(ListArchimateRelationshipsRequest) -> ListArchimateRelationshipsResponse;
});
unreachable_service!(WriteGuideQueryService {
    get_element_types(GetElementTypesRequest) -> GetElementTypesResponse;
    get_relationship_types(GetRelationshipTypesRequest) -> GetRelationshipTypesResponse;
    get_write_schema(GetWriteSchemaRequest) -> GetWriteSchemaResponse;
    validate_write(ValidateWriteRequest) -> ValidateWriteResponse;
});
unreachable_service!(DefinitionQueryService {
    list_definitions(ListDefinitionsRequest) -> ListDefinitionsResponse;
    get_definition(GetDefinitionRequest) -> GetDefinitionResponse;
});
unreachable_service!(ScrumQueryService {
    get_product(GetProductRequest) -> GetProductResponse;
    list_product_backlog_items(ListProductBacklogItemsRequest) -> ListProductBacklogItemsResponse;
});
unreachable_service!(ScrumWriteService {
    submit_intent(ScrumDomainIntent) -> ScrumDomainIntentResponse;
});
unreachable_service!(TransformationArchitectureWriteService {
    create_element(CreateElementRequest) -> CreateElementResponse;
    create_relationship(CreateRelationshipRequest) -> CreateRelationshipResponse;
    update_element(UpdateElementRequest) -> UpdateElementResponse;
    delete_element(DeleteElementRequest) -> DeleteElementResponse;
});
