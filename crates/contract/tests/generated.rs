//! The generated code of transformation: JSON, dispatch and gRPC without a network.

use std::sync::Arc;

use contract::generated::transformation::grpc::Grpc;
use contract::generated::transformation::grpc::archi_mate_query_service_client::ArchiMateQueryServiceClient;
use contract::generated::transformation::grpc::archi_mate_query_service_server::ArchiMateQueryServiceServer;
use contract::generated::transformation::*;
use contract::{CallError, Content, Context, ErrorKind, NoClient, RequestMeta};
use scope::{Principal, Scope, SequentialIds, Timestamp};
use serde_json::{Value, json};
use tonic::{Code, Request, Status};

/// Answers with what it was asked.
struct Echo;

impl ArchiMateQueryService for Echo {
    async fn list_models(&self, _: &Context, _: ListModelsRequest) -> Result<ListModelsResponse, CallError> {
        Ok(ListModelsResponse::default())
    }

    async fn get_archimate_model(
        &self,
        _: &Context,
        request: GetArchimateModelRequest,
    ) -> Result<GetArchimateModelResponse, CallError> {
        let message = format!("model {} does not exist", request.model_id);
        Err(CallError::new(ErrorKind::NotFound, "MODEL_NOT_FOUND", message))
    }

    async fn get_element(&self, _: &Context, request: GetElementRequest) -> Result<GetElementResponse, CallError> {
        let element = Element { id: request.element_id, r#type: ElementType::Node.into(), ..Element::default() };
        Ok(GetElementResponse { element: Some(element), read_context: None })
    }

    async fn get_relationship(
        &self,
        _: &Context,
        request: GetRelationshipRequest,
    ) -> Result<GetRelationshipResponse, CallError> {
        let relationship = Relationship { id: request.relationship_id, ..Relationship::default() };
        Ok(GetRelationshipResponse { relationship: Some(relationship), read_context: None })
    }

    async fn get_archimate_view(
        &self,
        _: &Context,
        _: GetArchimateViewRequest,
    ) -> Result<GetArchimateViewResponse, CallError> {
        Ok(GetArchimateViewResponse::default())
    }

    async fn search_elements(
        &self,
        _: &Context,
        _: SearchElementsRequest,
    ) -> Result<SearchElementsResponse, CallError> {
        Ok(SearchElementsResponse::default())
    }

    async fn list_archimate_elements(
        &self,
        ctx: &Context,
        request: ListArchimateElementsRequest,
    ) -> Result<ListArchimateElementsResponse, CallError> {
        let element = |id: &str| Element { id: id.to_owned(), layer: request.layer, ..Element::default() };
        let elements = vec![element(&request.model_id), element(ctx.scope.tenant.as_str())];
        Ok(ListArchimateElementsResponse { elements, ..Default::default() })
    }

    async fn list_archimate_relationships(
        &self,
        _: &Context,
        _: ListArchimateRelationshipsRequest,
    ) -> Result<ListArchimateRelationshipsResponse, CallError> {
        Ok(ListArchimateRelationshipsResponse::default())
    }
}

fn context() -> Context {
    Context {
        scope: Scope::local(),
        principal: Principal::local("tester"),
        request: RequestMeta::default(),
        now: Timestamp(0),
        ids: Arc::new(SequentialIds::default()),
        client: Arc::new(NoClient),
        cancelled: Default::default(),
        effect: None,
        verdict: contract::Verdict::default(),
        audit: contract::AuditDraft::default(),
    }
}

/// The query service of the model, and nothing else.
fn services<Q: ArchiMateQueryService>(
    query: Q,
) -> Services<Q, Absent, Absent, Absent, Absent, Absent, Absent, Absent, Absent, Absent, Absent> {
    Services {
        archi_mate_query: query,
        baseline_query: Absent,
        definition_query: Absent,
        scrum_query: Absent,
        scrum_write: Absent,
        proposal_query: Absent,
        semantic_query: Absent,
        write_guide_query: Absent,
        baseline_write: Absent,
        capability_write: Absent,
        transformation_architecture_write: Absent,
    }
}

async fn call(tool: &str, arguments: Value) -> Result<contract::Answer, CallError> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    services(Arc::new(Echo)).call(&context(), tool, arguments).await
}

async fn read(uri: &str) -> Result<contract::Blob, CallError> {
    services(Echo).read(&context(), uri).await
}

//
#[tokio::test]
async fn a_tool_name_reaches_its_method_and_entities_become_blocks() {
    let answer = call("transformation.listElements", json!({"model_id": "m", "layer": "application"})).await.unwrap();
    let structured = answer.structured.unwrap().value();
    assert_eq!(structured["elements"][0]["layer"], "application");
    let blocks = answer.content.iter().map(|block| match block {
        Content::Resource { uri, blob: contract::Blob::Text { mime, text } } => {
            assert_eq!(mime, "application/json");
            let entities = structured["elements"].as_array().unwrap();
            assert!(entities.contains(&serde_json::from_str(text).unwrap()), "{text}");
            uri.as_str()
        }
        Content::Text(rest) => rest.as_str(),
        other => panic!("{other:?}"),
    });
    let blocks: Vec<&str> = blocks.collect();
    assert_eq!(structured["elements"].as_array().unwrap().len(), 2);
    assert_eq!(
        (blocks.len(), &blocks[..2]),
        (3, &["transformation://element/m", "transformation://element/local"][..])
    );
    // The text says the same to clients that show no other block.
    assert_eq!(serde_json::from_str::<Value>(blocks[2]).unwrap()["elements"][0]["id"], "m");
}

//
#[tokio::test]
async fn what_is_not_exposed_is_not_found() {
    for tool in ["transformation.getElement", "ArchiMateQueryService.GetElement", "GetElement", ""] {
        let error = call(tool, json!({})).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound, "{tool}");
    }
}

#[tokio::test]
async fn a_service_that_is_not_here_says_so() {
    let error = call("transformation.createElement", json!({"type": "Node", "name": "n"})).await.unwrap_err();
    assert_eq!(error.message, "TransformationArchitectureWriteService is not served here");
}

//
#[tokio::test]
async fn a_uri_reaches_its_method() {
    let contract::Blob::Text { mime, text } = read("transformation://element/e1").await.unwrap() else {
        panic!("text")
    };
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((mime.as_str(), &body["element"]["id"]), ("application/json", &json!("e1")));
    assert_eq!(read("transformation://no-such/v1").await.unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn enum_fields_read_any_spelling_and_write_the_label() {
    for word in ["ApplicationComponent", "application component", "APPLICATION_COMPONENT", "application-component"] {
        let request: CreateElementRequest = serde_json::from_value(json!({"type": word, "name": "n"})).unwrap();
        assert_eq!(request.r#type(), ElementType::ApplicationComponent, "{word}");
        assert_eq!(serde_json::to_value(&request).unwrap(), json!({"type": "ApplicationComponent", "name": "n"}));
    }
}

#[test]
fn the_unspecified_value_is_not_read_and_not_written() {
    for word in ["ELEMENT_TYPE_UNSPECIFIED", "", "unspecified"] {
        let refused = serde_json::from_value::<CreateElementRequest>(json!({"type": word}));
        assert!(refused.is_err(), "{word}");
    }
    let count = serde_json::to_value(LayerCount { layer: 0, elements: 2 }).unwrap();
    assert_eq!(count, json!({"elements": 2}));
}

#[test]
fn optional_and_repeated_enum_fields_use_labels_too() {
    let relationship = json!({"type": "Access", "access_type": "ReadWrite"});
    let relationship: CreateRelationshipRequest = serde_json::from_value(relationship).unwrap();
    assert_eq!(relationship.access_type(), AccessType::AccessReadWrite);
    let response = json!({"valid_if_reversed": ["serving", "Flow"]});
    let response: GetRelationshipTypesResponse = serde_json::from_value(response).unwrap();
    assert_eq!(serde_json::to_value(&response).unwrap()["valid_if_reversed"], json!(["Serving", "Flow"]));
}

#[test]
fn a_misspelt_field_is_refused() {
    let refused = serde_json::from_value::<GetElementRequest>(json!({"elementid": "x"}));
    assert!(refused.is_err_and(|error| error.to_string().contains("unknown field `elementid`")));
}

#[test]
fn a_timestamp_is_text_in_json() {
    let meta: TransformationMessageMeta =
        serde_json::from_value(json!({"occurred_at": "2026-07-28T10:30:00Z"})).unwrap();
    assert_eq!(serde_json::to_value(&meta).unwrap()["occurred_at"], "2026-07-28T10:30:00Z");
}

#[test]
fn the_manifest_lists_the_tools() {
    let manifest = manifest();
    assert_eq!(manifest.name, "transformation");
    assert!(manifest.tools.iter().any(|tool| tool.name == "transformation.listElements"));
    assert_eq!(manifest.resources[0].pattern, "model/{model_id}");
}

//
#[tokio::test]
async fn a_client_reaches_a_service_over_grpc() {
    let with_context = |mut request: Request<()>| -> Result<Request<()>, Status> {
        request.extensions_mut().insert(context());
        Ok(request)
    };
    let server = ArchiMateQueryServiceServer::with_interceptor(Grpc(Arc::new(Echo)), with_context);
    let mut client = ArchiMateQueryServiceClient::new(server);

    let request = ListArchimateElementsRequest { model_id: "m".to_owned(), ..Default::default() };
    let response = client.list_archimate_elements(request).await.unwrap().into_inner();
    let ids: Vec<&str> = response.elements.iter().map(|element| element.id.as_str()).collect();
    assert_eq!(ids, ["m", "local"]);

    let request = GetArchimateModelRequest { model_id: "m".to_owned(), ..Default::default() };
    let status = client.get_archimate_model(request).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::NotFound, "model m does not exist"));
    assert_eq!(status.metadata().get("chancery-error-code").unwrap(), "MODEL_NOT_FOUND");
}

#[tokio::test]
async fn a_grpc_call_without_a_context_is_refused() {
    let mut client = ArchiMateQueryServiceClient::new(ArchiMateQueryServiceServer::new(Grpc(Arc::new(Echo))));
    let status = client.list_models(ListModelsRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
}
