//! Asking before something is destroyed, in every way a client can be asked.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use spine::config::Confirm;
use testkit::probe::Probe;
use testkit::raw::Request;
use testkit::site::Plan;

use crate::harness::{
    Site, call, fault, in_session, legacy, legacy_call, modern_from, refusal, site, site_with, start, structured,
};

fn erased(site: &Site) -> usize {
    site.seen.erased.load(Ordering::Relaxed)
}

fn yes() -> Value {
    json!({ "confirmation": { "action": "accept", "content": { "confirm": true } } })
}

fn erase(arguments: Value, state: Option<&Value>, responses: Option<Value>) -> Request {
    let mut params = json!({ "name": "probe.erase", "arguments": arguments });
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    if let Some(responses) = responses {
        params["inputResponses"] = responses;
    }
    modern_from("tools/call", params, json!({ "elicitation": {} }))
}

/// Makes the call once and returns the sealed state that came with the question.
async fn asked(site: &Site, arguments: Value) -> Value {
    let response = site.ask(&erase(arguments, None, None)).await;
    let result = response.message()["result"].clone();
    assert_eq!(result["resultType"], "input_required", "{response:?}");
    let question = &result["inputRequests"]["confirmation"];
    assert_eq!(
        (&question["method"], &question["params"]["message"]),
        (&json!("elicitation/create"), &json!("Erase e1?"))
    );
    result["requestState"].clone()
}

//
#[tokio::test]
async fn the_stateless_era_asks_and_goes_on() {
    let site = site().await;
    let state = asked(&site, json!({ "id": "e1" })).await;
    assert_eq!(erased(&site), 0);
    let done = site.ask(&erase(json!({ "id": "e1" }), Some(&state), Some(yes()))).await;
    assert_eq!(structured(&done), json!({ "erased": 1 }));
}

//
#[tokio::test]
async fn a_no_changes_nothing() {
    let site = site().await;
    let state = asked(&site, json!({ "id": "e1" })).await;
    for reply in [json!({ "action": "decline" }), json!({ "action": "accept", "content": { "confirm": false } })] {
        let answer =
            site.ask(&erase(json!({ "id": "e1" }), Some(&state), Some(json!({ "confirmation": reply })))).await;
        assert_eq!(refusal(&answer)["code"], "CONFIRMATION_DECLINED");
    }
    assert_eq!(erased(&site), 0);
}

// who said no is not heard again about the same question; a new call asks anew.
#[tokio::test]
async fn a_no_is_final() {
    for no in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "confirm": false } }),
    ] {
        let site = site().await;
        let state = asked(&site, json!({ "id": "e1" })).await;
        for responses in [json!({ "confirmation": no }), yes(), yes()] {
            let answer = site.ask(&erase(json!({ "id": "e1" }), Some(&state), Some(responses))).await;
            assert_eq!(refusal(&answer)["code"], "CONFIRMATION_DECLINED", "{no}");
        }
        assert_eq!(erased(&site), 0);
        let state = asked(&site, json!({ "id": "e1" })).await;
        assert_eq!(structured(&site.ask(&erase(json!({ "id": "e1" }), Some(&state), Some(yes()))).await)["erased"], 1);
    }
}

// another process that shares the data knows it too.
#[tokio::test]
async fn a_no_is_final_elsewhere() {
    let probe = Probe::default();
    let seen = probe.seen();
    let plan = Plan::of(probe);
    let one = Site { running: start(plan.clone()).await, seen: seen.clone() };
    let other = Site { running: start(plan).await, seen };
    let state = asked(&one, json!({ "id": "e1" })).await;
    for (site, responses) in [(&one, json!({ "confirmation": { "action": "decline" } })), (&other, yes())] {
        let answer = site.ask(&erase(json!({ "id": "e1" }), Some(&state), Some(responses))).await;
        assert_eq!(refusal(&answer)["code"], "CONFIRMATION_DECLINED");
    }
    assert_eq!(erased(&other), 0);
}

// an answer to a question that was not asked is no confirmation, nor is one in a wrong shape.
#[tokio::test]
async fn a_confirmation_must_have_been_asked_for() {
    let site = site().await;
    let unasked = site.ask(&erase(json!({ "id": "e1" }), None, Some(yes()))).await;
    assert_eq!(unasked.message()["result"]["resultType"], "input_required");
    let state = asked(&site, json!({ "id": "e1" })).await;
    for odd in [json!(7), json!(null), json!({ "action": "accept", "content": { "confirm": "yes" } })] {
        let again = site.ask(&erase(json!({ "id": "e1" }), Some(&state), Some(json!({ "confirmation": odd })))).await;
        assert_eq!(again.message()["result"]["resultType"], "input_required", "{odd}");
    }
    assert_eq!(erased(&site), 0);
}

//
#[tokio::test]
async fn a_state_is_good_for_its_call_and_its_caller_only() {
    let site = site().await;
    let state = asked(&site, json!({ "id": "e1" })).await;
    let good = erase(json!({ "id": "e1" }), Some(&state), Some(yes()));
    let tampered = json!(format!("{}x", state.as_str().unwrap()));
    for refused in [
        erase(json!({ "id": "e1" }), Some(&tampered), Some(yes())),
        erase(json!({ "id": "e1" }), Some(&json!("made up")), Some(yes())),
        erase(json!({ "id": "e2" }), Some(&state), Some(yes())),
        erase(json!({ "id": "e1", "client_request_id": "k" }), Some(&state), Some(yes())),
        good.clone().header("x-test-caller", "mallory"),
    ] {
        assert_eq!(fault(&site.ask(&refused).await), (200, -32602), "{refused:?}");
    }
    assert_eq!(erased(&site), 0);
    assert_eq!(structured(&site.ask(&good).await)["erased"], 1);
}

//
#[tokio::test]
async fn a_replayed_state_has_a_single_effect() {
    let site = site().await;
    let state = asked(&site, json!({ "id": "e1" })).await;
    let again = erase(json!({ "id": "e1" }), Some(&state), Some(yes()));
    assert_eq!(structured(&site.ask(&again).await)["erased"], 1);
    let replay = structured(&site.ask(&again).await);
    assert_eq!((&replay["erased"], &replay["idempotent_replay"]), (&json!(1), &json!(true)));
    assert_eq!(erased(&site), 1);
}

//
#[tokio::test]
async fn a_session_asks_in_the_middle_of_the_call() {
    let site = site().await;
    let session = site.open_session(json!({ "elicitation": {} })).await;
    for (id, reply, effects) in
        [(1, json!({ "action": "cancel" }), 0), (2, json!({ "action": "accept", "content": { "confirm": true } }), 1)]
    {
        let mut connection = site.connect().await;
        let call = legacy_call(id, "probe.erase", json!({ "id": "e1" }));
        connection.send(&in_session(call, &session)).await.unwrap();
        assert_eq!(connection.head().await.unwrap().status, 200);
        let question = connection.event().await.unwrap().unwrap();
        assert_eq!(
            (&question["method"], &question["params"]["message"]),
            (&json!("elicitation/create"), &json!("Erase e1?"))
        );
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply });
        assert_eq!(site.ask(&in_session(legacy(&answer), &session)).await.status, 202);
        let result = connection.event().await.unwrap().unwrap();
        assert_eq!(result["id"], id);
        assert_eq!(result["result"]["isError"] == true, effects == 0, "{result}");
        assert_eq!(erased(&site), effects);
    }
}

// a person takes their time, and holds up nobody.
#[tokio::test]
async fn a_person_may_take_longer_than_a_call() {
    let site = site_with(|config| {
        config.limits.call_timeout_ms = 50;
        config.limits.calls_max = 1;
    })
    .await;
    let session = site.open_session(json!({ "elicitation": {} })).await;
    let mut connection = site.connect().await;
    let call_it = legacy_call(1, "probe.erase", json!({ "id": "e1" }));
    connection.send(&in_session(call_it, &session)).await.unwrap();
    connection.head().await.unwrap();
    let question = connection.event().await.unwrap().unwrap();
    // While the question is open, another call has its turn and uses up its time.
    assert_eq!(refusal(&site.ask(&call("probe.wait", json!({}))).await)["code"], "TIMEOUT");
    let reply = json!({ "action": "accept", "content": { "confirm": true } });
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": reply });
    assert_eq!(site.ask(&in_session(legacy(&answer), &session)).await.status, 202);
    let result = connection.event().await.unwrap().unwrap();
    assert_eq!(result["result"]["structuredContent"], json!({ "erased": 1 }), "{result}");
}

// what was done before under the same key is answered again, without a second question.
#[tokio::test]
async fn a_repeated_effect_is_not_confirmed_again() {
    let site = site().await;
    let arguments = json!({ "id": "e1", "client_request_id": "k1" });
    let state = asked(&site, arguments.clone()).await;
    assert_eq!(structured(&site.ask(&erase(arguments.clone(), Some(&state), Some(yes()))).await)["erased"], 1);
    let retried = structured(&site.ask(&erase(arguments, None, None)).await);
    assert_eq!((&retried["erased"], &retried["idempotent_replay"]), (&json!(1), &json!(true)));
    assert_eq!(erased(&site), 1);
}

//
#[tokio::test]
async fn who_cannot_be_asked_confirms_in_two_steps() {
    let site = site_with(|config| config.confirm = Confirm::Always).await;
    let required = refusal(&site.ask(&call("probe.erase", json!({ "id": "e1" }))).await);
    assert_eq!((&required["code"], &required["message"]), (&json!("CONFIRMATION_REQUIRED"), &json!("Erase e1?")));
    let token = required["details"]["confirmation"].clone();
    let with = |arguments: Value| {
        let mut arguments = arguments;
        arguments["confirmation"] = token.clone();
        call("probe.erase", arguments)
    };
    for refused in [
        with(json!({ "id": "e2" })),
        with(json!({ "id": "e1", "client_request_id": "k" })),
        with(json!({ "id": "e1" })).header("x-test-caller", "mallory"),
        call("probe.erase", json!({ "id": "e1", "confirmation": "made up" })),
    ] {
        assert_eq!(refusal(&site.ask(&refused).await)["code"], "CONFIRMATION_REQUIRED", "{refused:?}");
    }
    assert_eq!(erased(&site), 0);
    assert_eq!(structured(&site.ask(&with(json!({ "id": "e1" }))).await)["erased"], 1);
    assert_eq!(structured(&site.ask(&with(json!({ "id": "e1" }))).await)["idempotent_replay"], true);
    assert_eq!(erased(&site), 1);
}

//
#[tokio::test]
async fn two_steps_are_listed_only_where_they_are_needed() {
    let confirms = async |confirm: Confirm, caller: &str| {
        let site = site_with(|config| config.confirm = confirm).await;
        let request = crate::harness::modern("tools/list", json!({})).header("x-test-caller", caller);
        let listed = site.ask(&request).await;
        let tools = listed.message()["result"]["tools"].as_array().unwrap().clone();
        let takes = |tool: &&Value| tool["inputSchema"]["properties"].get("confirmation").is_some();
        tools.iter().filter(takes).map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(confirms(Confirm::Always, "ann").await, ["probe_erase"]);
    assert_eq!(confirms(Confirm::Ask, "ann").await, Vec::<String>::new());
    assert_eq!(confirms(Confirm::Ask, "ann/agent").await, ["probe_erase"]);
    assert_eq!(confirms(Confirm::Never, "ann/agent").await, Vec::<String>::new());
}

// an agent confirms what a person has to see; a client that can be asked is asked instead.
#[tokio::test]
async fn an_agent_that_cannot_be_asked_confirms_in_two_steps_by_default() {
    let site = site().await;
    let by_agent = |request: Request| request.header("x-test-caller", "ann/agent");
    let required = refusal(&site.ask(&by_agent(call("probe.erase", json!({ "id": "e1" })))).await);
    assert_eq!(required["code"], "CONFIRMATION_REQUIRED");
    let confirmed = json!({ "id": "e1", "confirmation": required["details"]["confirmation"] });
    for other in [json!({ "id": "e2", "confirmation": confirmed["confirmation"] }), json!({ "id": "e1" })] {
        let refused = refusal(&site.ask(&by_agent(call("probe.erase", other))).await);
        assert_eq!(refused["code"], "CONFIRMATION_REQUIRED");
    }
    assert_eq!(erased(&site), 0);
    assert_eq!(structured(&site.ask(&by_agent(call("probe.erase", confirmed.clone()))).await)["erased"], 1);
    assert_eq!(structured(&site.ask(&by_agent(call("probe.erase", confirmed))).await)["idempotent_replay"], true);
    assert_eq!(erased(&site), 1);
    let answer = site.ask(&by_agent(erase(json!({ "id": "e1" }), None, None))).await;
    assert_eq!(answer.message()["result"]["resultType"], "input_required");
}

//
#[tokio::test]
async fn never_means_never_and_ask_trusts_people_who_cannot_be_asked() {
    for confirm in [Confirm::Never, Confirm::Ask] {
        let site = site_with(|config| config.confirm = confirm).await;
        assert_eq!(structured(&site.ask(&call("probe.erase", json!({ "id": "e1" }))).await)["erased"], 1);
    }
}
