//! Conformance: what every engine promises, as tests.
//!
//! Each promise is a function that takes a [`Harness`] and panics when the promise is broken. An engine's
//! test file writes `ledger::conformance_tests!(MyHarness::new());` and gets one test for each. The
//! [`random`] promise compares an engine with [`crate::model::ModelLedger`] over seeded random commands.
//! When the port learns something, the promise is added here, and to the list at the end of this file.

pub mod audits;
pub mod commits;
pub mod expectations;
pub mod fields;
pub mod finds;
pub mod history;
pub mod idempotency;
pub mod indexes;
pub mod isolation;
pub mod names;
pub mod overlays;
pub mod paging;
pub mod random;
pub mod replays;
pub mod searches;
pub mod trees;
pub mod walks;

mod commands;
mod sample;

use std::sync::Arc;

use scope::Timestamp;

use crate::tree::Trees;
use crate::{SearchStore, SharedLedger};

pub use sample::{Sample, change, folds, link, record};

/// Where the clock of a harness starts.
pub const CLOCK_START: Timestamp = Timestamp(1_800_000_000_000_000);

/// An engine under test, with a clock that starts at [`CLOCK_START`] and that the test moves.
pub trait Harness: Send {
    fn ledger(&self) -> SharedLedger;

    /// What search keeps in the same database.
    fn search_store(&self) -> Arc<dyn SearchStore>;

    /// The same ledger.
    fn trees(&self) -> Arc<dyn Trees>;

    /// Moves the engine's clock, forwards or backwards.
    fn advance_micros(&self, micros: i64);

    /// Loses the ledger without a shutdown and opens what is durable. An engine without durability does nothing.
    fn crash(&mut self);
}

/// One test for each promise, against what `$make` makes.
#[macro_export]
macro_rules! conformance_tests {
    ($make:expr) => {
        $crate::conformance_tests! { @each $make;
            commits: [
                a_commit_is_read_back_whole,
                records_of_any_id_are_got_together,
                facts_are_numbered_one_by_one_within_a_tenant,
                times_never_run_backwards,
                a_change_without_facts_moves_nothing,
                a_refused_change_leaves_nothing,
                a_commit_ticks,
                facts_are_read_after_a_number,
                concurrent_commits_are_serial_within_a_tenant,
            ],
            audits: [
                an_audit_record_is_kept_with_its_change,
                a_change_that_does_not_happen_leaves_no_audit_record,
                audit_records_are_listed_newest_first_without_gaps,
                an_audit_record_outlives_a_crash,
            ],
            idempotency: [
                the_same_request_is_replayed,
                a_replay_survives_change_and_deletion,
                another_hash_is_refused,
                another_tenant_principal_or_operation_is_independent,
                keys_are_compared_byte_for_byte,
                without_a_key_every_call_executes,
                a_key_lives_seven_days,
                an_expired_key_is_processed_as_new,
                a_refused_change_stores_no_key,
                many_equal_requests_have_one_effect,
                a_key_outlives_a_crash,
            ],
            expectations: [
                version_holds_only_for_the_live_version,
                exists_holds_only_for_a_live_record,
                absent_holds_only_without_a_live_record,
                links_unchanged_notices_put_move_and_end,
                no_path_follows_live_links_of_its_types,
                all_expectations_must_hold,
            ],
            names: [
                a_name_has_one_holder,
                a_name_is_free_after_rename_and_end,
                two_records_may_swap_names_in_one_change,
                two_claims_in_one_change_are_refused,
                the_same_name_in_another_space_or_tenant_is_free,
                concurrent_claims_have_one_winner,
            ],
            history: [
                versions_grow_without_gaps_through_deletion,
                a_read_in_the_past_stays_the_same,
                a_moment_means_the_last_fact_until_then,
                what_has_not_happened_is_refused,
                a_live_read_sees_the_last_commit,
                ending_what_is_not_there_does_nothing,
                several_versions_in_one_change_show_the_last,
                many_keys_are_answered_in_order,
            ],
            finds: [
                each_filter_narrows,
                filters_combine,
                orders_break_ties_by_id,
                a_prefix_is_exact_about_its_bounds,
                links_are_found_in_three_directions,
                deleted_and_changed_records_leave_the_listing,
                a_count_stops_at_its_cap,
                every_filter_works_in_the_past,
                an_unlisted_record_is_found_but_not_listed,
            ],
            fields: [
                records_are_found_by_what_their_fields_hold,
                records_are_sorted_by_a_field,
                a_field_shows_what_it_held_then,
                a_field_that_stays_the_same_is_found_through_all_versions,
                counts_follow_types_and_scopes,
            ],
            paging: [
                pages_neither_repeat_nor_skip,
                pages_at_a_point_ignore_later_writes,
                pages_in_the_past_are_what_they_were,
                a_listing_by_id_goes_on_after_any_id,
                a_page_passes_over_as_many_as_it_skips,
                a_foreign_cursor_is_refused,
            ],
            walks: [
                hops_are_counted_and_capped,
                cycles_end,
                direction_and_types_are_followed,
                the_records_cap_is_told,
                the_smallest_link_is_shown,
                a_walk_in_the_past_sees_the_links_of_then,
            ],
            searches: [
                words_are_found_whatever_their_form,
                all_words_or_any,
                the_last_word_may_be_a_prefix,
                words_are_data,
                a_search_in_the_past_sees_the_text_of_then,
                kind_scope_and_limit_narrow,
                a_type_is_chosen_among_the_newest_that_are_weighed,
                the_better_match_comes_first_and_stays_first,
            ],
            indexes: [
                rows_follow_their_documents,
                a_step_that_does_not_go_on_is_left_out,
                an_index_that_starts_anew_is_empty,
                vectors_belong_to_a_row_and_a_space,
                rows_are_read_in_pages,
                an_index_is_of_one_tenant,
                an_index_outlives_a_crash,
            ],
            isolation: [
                no_read_crosses_tenants,
                no_write_crosses_tenants,
            ],
            replays: [
                a_healthy_store_verifies,
                an_unknown_fact_is_reported,
                everything_survives_a_crash,
            ],
            overlays: [
                an_overlay_reads_as_the_ledger_does_after_the_commit,
                nothing_is_committed_to_an_overlay,
                an_overlay_is_of_one_tenant_and_of_no_earlier_point,
            ],
            trees: [
                a_tree_grows_and_is_read_back,
                trees_grow_together_or_not_at_all,
                tenants_with_new_facts_are_behind,
                audit_records_are_numbered_in_the_order_of_commits,
                spans_are_found_by_leaf,
                a_tree_outlives_a_crash,
            ],
            random: [
                random_commands_match_the_model,
            ],
        }
    };
    (@each $make:expr; $($module:ident: [$($name:ident),* $(,)?]),* $(,)?) => {
        $(mod $module {
            #[allow(unused_imports, reason = "the expression may name what its module imports")]
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let mut harness = $make;
                $crate::conformance::$module::$name(&mut harness).await;
            })*
        })*
    };
}
