#pragma once
// What every store must do. The test programs tst_contract_* run this suite against one store each.

#include "core/store/store.h"
#include "tests/store/builders.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QObject>

#include <memory>

namespace cairn::testing {

// One fresh store with a test clock; several connections may be made to it.
class Backend {
public:
    virtual ~Backend() = default;
    virtual std::unique_ptr<StoreWriter> connect(const StoreOptions& options = {}) = 0;
};
std::unique_ptr<Backend> makeBackend();  // defined by the test program

class ContractTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    // contract_commit.cpp
    void infoIsComplete();
    void aNewRunIsThereAsWritten();
    void entriesComeBackAsWritten();
    void versionsOfALoadCanBeChosen();
    void aStaleMemberIsRefusedAndItsNeighboursAreNot();
    void aStaleEpochIsRefusedOnlyWhereItIsChecked();
    void aRepeatedCommandIsADuplicate();
    void aRepeatedCommandOnTheCurrentVersionIsADuplicateToo();
    void aTakenKeyNamesItsRun();
    void aFailedMemberLeavesNothing_data();
    void aFailedMemberLeavesNothing();
    void anEntryMustContinueTheHead();
    void everyRowIsStored();
    void rowsAreReplacedByLaterOnes();
    void membersOfOneRunFollowEachOther();
    void rowsOfOneGroupReplaceEachOther();
    void manyRowsOfManyRunsComeBackAsWritten();
    void aRepeatedCommandInAGroupLeavesItsNeighbours();
    void aLargeGroupIsCommitted();
    void aChildBeginsOnlyOnTheControlThatItWasDecidedOn_data();
    void aChildBeginsOnlyOnTheControlThatItWasDecidedOn();
    void anEmptyGroupIsFine();

    // contract_ledger.cpp
    void theLedgerGuardsACommit();
    void waitersAreWokenOnce();
    void onlyAnEffectUnderWayCanBeWaitedFor_data();
    void onlyAnEffectUnderWayCanBeWaitedFor();
    void messagesAreKeptUntilDelivered();
    void aDeliveredMessageGoesWithItsCommit();
    void messagesSurviveEncoding();
    void damagedMessagesAreRefused();
    void messagesAreReadInParts();
    void backOffOnlyGrows();
    void backOffIsRaisedByItself();
    void aPersonSlowsAResourceWithItsAuditEntry();
    void aHoldThatCameInBetweenStays();
    void slicesNeverExceedTheLimit();
    void ratesAreLeasedPerSecond();
    void slotsAndRateDoNotTouchEachOther();
    void workflowVersionsNeverChange();
    void payloadsInlineAndInChunks();
    void severalPayloadsAtOnce();
    void withheldPayloadsReadAsRedacted();
    void payloadRangesAreExact();
    void incompleteArtifactsAreRefused();
    void adoptedArtifactsCannotChange();
    void unusedChunksAreDropped();
    void manyUnusedChunksAreDroppedAndUsedOnesStay();

    // contract_sessions.cpp
    void sessionsOpenBeatAndEnd();
    void aSessionEndsOnceAndOnlyAfterItsLease();
    void dueRunsAreClaimedOldestFirst();
    void runsOfEndedSessionsAreClaimed();
    void aClaimRaisesTheEpochAndFencesTheFormerOwner();
    void anEndedSessionClaimsAndTakesNothing();
    void releaseIsGuarded();
    void anEndedSessionIsNotWokenAndReleasesNothing();
    void endedSessionsWithoutRunsAreForgotten();
    void aReleaseMaySayWhenTheRunIsDue_data();
    void aReleaseMaySayWhenTheRunIsDue();
    void aRefusedReleaseKeepsTheWakeUp();
    void aCommitCanLetTheRunGo();
    void aRunCanBeCreatedForLater();
    void othersCommitsWakeTheOwner();
    void othersCommitsMakeAnUnownedRunDue();
    void aFinishedRunIsNotMadeDue();
    void aReleasedRunThatWasWokenIsDueAtOnce();
    void takeOverRaisesTheEpoch();
    void aCommitTakesTheRunFromItsOwner();
    void theClockOffsetMovesStoreTime();

    // contract_lists.cpp
    void filters_data();
    void filters();
    void whoWorksAndWhoActedAndWhatIsAtStake();
    void whatIsHeldAndWhoseItIs();
    void severalTermsAreAlternatives();
    void pagesAreStableUnderInserts_data();
    void pagesAreStableUnderInserts();
    void countsAreGrouped();
    void situationsAreGrouped();
    void theCursorGivesEachChangeOnce();
    void theCursorCanBeReadInParts();
    void idPrefixesFindRuns();
    void childrenAreFound();

    // contract_situations.cpp
    void situationsStandByWhoMovesNext();
    void situationsSayWhoseTheyAre();
    void situationsSayWhenTheirRunsCame();
    void situationsSayWhenTheirRunsGoOnAndWhatTheyAre();

    // contract_audit.cpp
    void auditEntriesAreChained();
    void auditEntriesAreCountedByDay();
    void pagesOfTheAuditKeepNothing();
    void aFailedMemberLeavesNoGapInTheAudit();
    void actsWithoutARunAreRecordedOnce();
    void everyFieldOfAnAuditEntryIsHashed();
    void theVerifierFindsEveryBreak();
    void aSoundStoreHasNoProblems();

    // contract_agreement.cpp
    void policiesAreNumberedAndNeverChange();
    void anActIsProposedOnce();
    void onlySomebodyElseDecidesAnAct();
    void anActThatWaitsIsCarriedOutOrWithdrawn();
    void aReviewIsClosedByAnother();

    // contract_checkpoints.cpp
    void checkpointsComeBackAsWritten();
    void aCheckpointFollowsTheNewest();
    void headsOfRunsSayWhatIsCovered();
    void entriesOfAllRunsAreReadInOrder();
    void theAuditsEndIsTold();

    // contract_plans.cpp
    void aPlanComesBackAsWritten();
    void aPlanMovesOnByItsRevision();
    void anItemHasOneOutcome();
    void plansAreListedAndFoundByTheirRuns();
    void plansUnderWayAreThoseThatRunFirst();
    void thePlansAuditGoesWithItsChange();
    void aPlanThatCannotBeIsRefused();
    void anActAndItsItemAreWrittenTogetherOrNotAtAll();
    void anActOnAnItemThatIsOverIsNotDone();

    // contract_fence.cpp
    void aFenceStopsEveryWriteAndNoRead();
    void aFenceIsChangedOnlyFromWhatWasSeen();
    void aFenceWaitsForEnginesToEnd();
    void onlyWhoFillsAStoreWritesIntoItsFence();
    void whatAMoveBringsIsKeptAsItWas();

    // contract_removal.cpp
    void aTreeGoesWholeWithItsTombstones();
    void whatRemovedRunsLeftIsSwept();
    void aTreeThatIsBoundStays_data();
    void aTreeThatIsBoundStays();
    void keysOfRemovedRunsLiveOn();
    void aRemovedRunsStartIsAnsweredAsItWas();
    void redactedPayloadsKeepHashAndSize();
    void retentionIsSetPerWorkflow();
    void whatIsNeverStoredIsKept();
    void aTombstoneIsSigned();

    // contract_artifacts.cpp
    void chunksGoIntoTheBucketFromTheChangeOn();
    void anObjectIsDurableBeforeARowNamesIt();
    void aDamagedObjectIsAnErrorThatNamesIt_data();
    void aDamagedObjectIsAnErrorThatNamesIt();
    void aBucketThatDoesNotAnswerDamagesNothing();
    void thePlaceIsChangedOnlyWhereNothingIsLeftBehind();
    void thePlaceIsChangedOnlyWithoutEngines();
    void objectsThatNoRowNamesAreFound();

private:
    MemberResult commitOne(const CommitMember& member);
    std::vector<MemberResult> commitAll(const std::vector<CommitMember>& members);
    void createRun(Writer& writer, ListRow row);
    SessionId open(const std::string& name);

    std::unique_ptr<Backend> m_backend;
    std::unique_ptr<StoreWriter> m_store;
};

}  // namespace cairn::testing
