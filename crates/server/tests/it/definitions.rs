//! `chancery definitions`, from a file to the tools that an agent may call.

use crate::process::run;

const REVIEWER: &str = "\
apiVersion: ameide.io/v1
kind: AgentDefinition
metadata:
  name: architecture-reviewer
spec:
  runtime:
    image: ameide/architecture-reviewer:v1
  triggers:
    - type: fact
      topic: transformation.architecture.domain.facts.v1
  tools:
    allow:
      - transformation.list*
      - transformation.submitScrumIntent
    deny:
      - transformation.submit*
";

//
#[tokio::test]
async fn a_definition_goes_from_a_file_to_its_promotion() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("reviewer.yaml"));
    std::fs::write(&file, REVIEWER).unwrap();
    let file = file.to_str().unwrap();
    let imported = run(&data, &["definitions", "import", file]).await;
    assert!(imported.success && imported.stdout.contains("version 1, draft"), "{}", imported.stderr);
    let again = run(&data, &["definitions", "import", file]).await;
    assert!(again.stdout.contains("version 1, draft"), "{}", again.stdout);
    let promoted = run(&data, &["definitions", "promote", "architecture-reviewer"]).await;
    assert!(promoted.stdout.contains("version 2, promoted, version 1 promoted"), "{}", promoted.stdout);
    let listed = run(&data, &["definitions", "list"]).await;
    assert_eq!(listed.stdout, promoted.stdout);
    let shown = run(&data, &["definitions", "show", "architecture-reviewer"]).await;
    let (_, tools) = shown.stdout.split_once("tools it may call:\n").unwrap();
    let tools: Vec<&str> = tools.lines().map(str::trim).collect();
    assert!(tools.contains(&"transformation.listElements") && tools.contains(&"transformation.listDefinitions"));
    assert!(tools.iter().all(|tool| tool.starts_with("transformation.list")), "{tools:?}");
}

//
#[tokio::test]
async fn one_wrong_file_stops_the_import() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (good, wrong) =
        (write("good.yaml", REVIEWER), write("wrong.yaml", &REVIEWER.replace("type: fact", "type: fakt")));
    let imported = run(&data, &["definitions", "import", &good, &wrong]).await;
    assert!(!imported.success);
    let expected =
        "wrong.yaml is not a definition: spec.triggers[0].type cannot be \"fakt\" (VALIDATION_ERROR); use fact\n";
    assert!(imported.stderr.ends_with(expected), "{}", imported.stderr);
    assert_eq!(run(&data, &["definitions", "list"]).await.stdout, "");
    let missing = run(&data, &["definitions", "promote", "nobody"]).await;
    assert!(
        missing.stderr.contains("Definition 'nobody' not found (DEFINITION_NOT_FOUND); use the id or name"),
        "{}",
        missing.stderr
    );
}
