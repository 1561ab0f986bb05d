//! Stories: what they may be part of, and how they end.

use scope::Timestamp;

use super::node::Story;
use super::words::{StoryStatus, StoryType};
use crate::Error;

/// Refuses a story as part of another that cannot hold it. An arc is part of a campaign, an episode of a campaign or an arc.
pub fn can_hold(parent: &Story, universe_id: &str, part: StoryType) -> Result<(), Error> {
    let refuse = |reason: String, fix: &str| Err(Error::constraint("parent_story_id", reason, fix));
    if parent.universe_id != universe_id {
        return refuse("parent_story_id names a story of another universe".to_owned(), "name one of this universe");
    }
    let holds = matches!(
        (parent.story_type, part),
        (StoryType::Campaign, StoryType::Arc | StoryType::Episode) | (StoryType::Arc, StoryType::Episode)
    );
    if !holds {
        let fix =
            "an arc is part of a campaign, an episode of a campaign or an arc; leave parent_story_id out otherwise";
        return refuse(format!("a story of type {part} is no part of one of type {}", parent.story_type), fix);
    }
    Ok(())
}

/// The story with another status or end. What is completed or abandoned stays so.
pub fn update(
    story: &Story,
    status: Option<StoryStatus>,
    end: Option<Timestamp>,
    now: Timestamp,
) -> Result<Story, Error> {
    let ended = |status| matches!(status, StoryStatus::Completed | StoryStatus::Abandoned);
    let to = status.unwrap_or(story.status);
    if ended(story.status) && to != story.status {
        let fix = "begin another story with neo4j_create_story";
        return Err(Error::constraint("status", format!("the story is {} and stays so", story.status), fix));
    }
    if story.status == StoryStatus::Active && to == StoryStatus::Planned {
        let fix = "give active, completed or abandoned";
        return Err(Error::constraint("status", "the story has begun and cannot be planned again", fix));
    }
    if let (Some(start), Some(end)) = (story.start_time_ref, end)
        && end < start
    {
        return Err(Error::invalid("end_time_ref", "lies before start_time_ref", format!("give {start} or later")));
    }
    let completed_at = if ended(to) { story.completed_at.or(Some(now)) } else { None };
    Ok(Story { status: to, end_time_ref: end.or(story.end_time_ref), completed_at, ..story.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(story_type: StoryType, status: StoryStatus) -> Story {
        Story {
            story_id: "s".to_owned(),
            universe_id: "u".to_owned(),
            title: "t".to_owned(),
            story_type,
            theme: String::new(),
            premise: String::new(),
            parent_story_id: None,
            status,
            start_time_ref: Some(Timestamp(10)),
            end_time_ref: None,
            created_at: Timestamp(0),
            completed_at: None,
        }
    }

    //
    #[test]
    fn arcs_belong_to_campaigns() {
        use StoryType::{Arc, Campaign, Episode, OneShot};
        for (parent, part, holds) in [
            (Campaign, Arc, true),
            (Campaign, Episode, true),
            (Arc, Episode, true),
            (Arc, Arc, false),
            (Episode, Arc, false),
            (OneShot, Episode, false),
            (Campaign, Campaign, false),
        ] {
            assert_eq!(can_hold(&story(parent, StoryStatus::Active), "u", part).is_ok(), holds, "{parent} {part}");
            assert!(can_hold(&story(parent, StoryStatus::Active), "other", part).is_err());
        }
    }

    #[test]
    fn a_story_that_ended_stays_as_it_is() {
        use StoryStatus::{Abandoned, Active, Completed, Planned};
        for (from, to, fits) in [
            (Planned, Active, true),
            (Active, Completed, true),
            (Active, Abandoned, true),
            (Active, Planned, false),
            (Completed, Active, false),
            (Completed, Completed, true),
            (Abandoned, Completed, false),
        ] {
            let updated = update(&story(StoryType::Arc, from), Some(to), None, Timestamp(5));
            assert_eq!(updated.is_ok(), fits, "{from} {to}");
            let completed = updated.ok().and_then(|story| story.completed_at);
            assert_eq!(completed.is_some(), fits && matches!(to, Completed | Abandoned), "{from} {to}");
        }
        assert!(update(&story(StoryType::Arc, Active), None, Some(Timestamp(9)), Timestamp(5)).is_err());
        assert!(update(&story(StoryType::Arc, Active), None, Some(Timestamp(11)), Timestamp(5)).is_ok());
    }
}
