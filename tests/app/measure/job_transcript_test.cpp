#include "app/measure/job_transcript.hpp"

#include <gtest/gtest.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

// The output of Open MPI 4.1.4.
const std::string edge(74, '-');
const std::vector<std::string> killed{
    edge,
    "Primary job  terminated normally, but 1 process returned",
    "a non-zero exit code. Per user-direction, the job has been aborted.",
    edge,
    edge,
    "mpirun noticed that process rank 1 with PID 4711 on node n0 exited on signal 9 (Killed).",
    edge};
const std::vector<std::string> no_slots{
    edge, "There are not enough slots available in the system to satisfy the 4",
    "slots that were requested by the application:", edge};

JobTranscript transcript_of(const std::vector<std::string>& lines) {
  JobTranscript transcript;
  for (const std::string& line : lines) {
    EXPECT_EQ(transcript.add(line), std::nullopt) << line;
  }
  return transcript;
}

template <typename Failure>
std::string thrown_as(const JobTranscript& transcript, int exit_code) {
  return refusal_of<Failure>([&] { transcript.throw_failure(exit_code, "measure"); });
}

TEST(JobTranscript, ShowsWhatRanksWrite) {
  JobTranscript transcript;

  EXPECT_EQ(transcript.add("a remark"), "a remark");
  EXPECT_EQ(transcript.add("-- not a box"), "-- not a box");
  transcript.throw_failure(0, "measure");
}

// As Open MPI 4 and 5 print them.
TEST(JobTranscript, ShowsTheBindingsOfRanks) {
  JobTranscript transcript;
  for (const std::string line :
       {"[n0:4711] MCW rank 0 bound to socket 0[core 0[hwt 0]]: [B/.]",
        "[n0:4711] MCW rank 1 is not bound (or bound to all available processors)",
        "[n0:4711] Rank 1 bound to package[0][core:1]"})
    EXPECT_EQ(transcript.add(line), line);
  EXPECT_EQ(transcript.remarks(), "");
}

TEST(JobTranscript, KeepsTheLaunchersRemarksBack) {
  const auto transcript = transcript_of(
      {edge, "a box", "", edge, "mpirun: killing job...", "mpirun(12): killing job...",
       "[n0:4711] *** Process received signal ***", "srun: error: n1: task 1: Killed",
       "slurmstepd-n1: error: *** STEP 14.0 ON n1 CANCELLED AT 2026-11-21T15:04:16 ***",
       "2 total processes killed (some possibly by mpirun during cleanup)"});

  EXPECT_EQ(transcript.remarks().substr(0, 2 * edge.size() + 9),
            edge + "\na box\n\n" + edge + "\n");
}

TEST(JobTranscript, NamesTheRankThatWasKilled) {
  EXPECT_EQ(thrown_as<TransportError>(transcript_of(killed), 137),
            "ringcast: measure: rank 1 on n0 was killed by signal 9 (Killed)");
}

TEST(JobTranscript, NamesWhoWaitedForTheRankThatWasKilled) {
  JobTranscript transcript = transcript_of(killed);
  EXPECT_FALSE(transcript.add("ringcast-mpi: rank 0 ends with exit code 4: rank 0 waited"));

  EXPECT_TRUE(transcript.knows_failure());
  EXPECT_EQ(thrown_as<TransportError>(transcript, 137),
            "ringcast: measure: rank 1 on n0 was killed by signal 9 (Killed); rank 0 waited");
}

TEST(JobTranscript, NamesTheCauseAndNotWhatFollowedFromIt) {
  const auto transcript =
      transcript_of({"ringcast-mpi: rank 0 ends with exit code 4: rank 1 has failed",
                     "ringcast-mpi: rank 1 ends with exit code 5: rank 1, element 3: 4"});

  EXPECT_EQ(thrown_as<WrongResult>(transcript, 4), "rank 1, element 3: 4");
}

TEST(JobTranscript, NamesOversubscribeWhereSlotsAreMissing) {
  EXPECT_EQ(thrown_as<ScenarioError>(transcript_of(no_slots), 1),
            "--ranks: more ranks than mpirun has slots for (expected at most one for each core of "
            "the hosts; --oversubscribe starts more, or a --hostfile says how many slots there "
            "are)");
}

TEST(JobTranscript, NamesOvercommitWhereSrunHasNoProcessorsLeft) {
  const auto transcript = transcript_of(
      {"srun: error: Unable to create step for job 16: More processors requested than permitted"});

  EXPECT_EQ(thrown_as<ScenarioError>(transcript, 1),
            "--ranks: more ranks than srun may start here (expected at most one for each processor "
            "of the allocation; --launcher \"srun --mpi=pmix --overcommit\" starts more)");
}

TEST(JobTranscript, NamesTheOptionThatMpirunDoesNotKnow) {
  const auto transcript = transcript_of({R"(mpirun: Error: unknown option "--nosuch")"});

  EXPECT_EQ(thrown_as<ScenarioError>(transcript, 1),
            "--mpirun-args: mpirun does not know --nosuch (expected options of mpirun)");
}

TEST(JobTranscript, SaysThatTheLauncherItselfWasKilled) {
  EXPECT_EQ(
      thrown_as<TransportError>(JobTranscript{}, 137),
      "ringcast: measure: the launcher ended with exit code 137, of signal 9 (Killed), and no "
      "rank said why");
}

TEST(JobTranscript, SaysSoWhereNobodyExplainsTheEnd) {
  EXPECT_EQ(thrown_as<TransportError>(JobTranscript{}, 7),
            "ringcast: measure: the launcher ended with exit code 7 and no rank said why");
}

TEST(JobTranscript, GivesEachExitCodeItsError) {
  const auto failed_with = [](int exit_code) {
    return transcript_of({to_line(RankFailure{3, exit_code, "why"})});
  };

  EXPECT_EQ(thrown_as<ScenarioError>(failed_with(2), 2), "why");
  EXPECT_EQ(thrown_as<BackendUnavailable>(failed_with(3), 3), "why");
  EXPECT_EQ(thrown_as<TransportError>(failed_with(4), 4), "ringcast: measure: why");
  EXPECT_EQ(thrown_as<WrongResult>(failed_with(5), 5), "why");
  EXPECT_EQ(thrown_as<ContractViolation>(failed_with(1), 1), "why");
}

TEST(JobWords, AreReadBack) {
  const auto word = word_of(to_line(JobWord{"progress", "0.5 1 2"}));
  ASSERT_TRUE(word);
  EXPECT_EQ(word->word, "progress");
  EXPECT_EQ(word->text, "0.5 1 2");
  EXPECT_FALSE(word_of("#  ranks    size"));

  const auto failure = failure_of(to_line(RankFailure{12, 4, "a: b: c"}));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->rank, 12);
  EXPECT_EQ(failure->exit_code, 4);
  EXPECT_EQ(failure->text, "a: b: c");
  EXPECT_FALSE(failure_of("ringcast-mpi: something else"));
}

// As mpirun --tag-output and srun --label print them.
TEST(JobWords, AreReadBehindTheTagOfALauncher) {
  for (const std::string tag : {"[1,0]<stdout>:", "0: "}) {
    const auto word = word_of(tag + to_line(JobWord{"row", "{}"}));
    ASSERT_TRUE(word) << tag;
    EXPECT_EQ(word->word, "row");
    EXPECT_EQ(word->text, "{}");

    const auto failure = failure_of(tag + to_line(RankFailure{1, 4, "why"}));
    ASSERT_TRUE(failure) << tag;
    EXPECT_EQ(failure->rank, 1);
    EXPECT_EQ(failure->text, "why");
  }
}

// The output of ssh where it reaches no host.
TEST(JobTranscript, NamesTheHostThatCannotBeReached) {
  const auto said_of = [](const std::string& line) {
    return thrown_as<ScenarioError>(transcript_of({line}), 255);
  };

  EXPECT_EQ(said_of("ssh: Could not resolve hostname node9: Name or service not known"),
            "node9: cannot be reached: Name or service not known (expected a host that ssh "
            "reaches)");
  EXPECT_EQ(said_of("ssh: connect to host node9 port 22: Connection refused"),
            "node9: cannot be reached: Connection refused (expected a host that ssh reaches)");
  EXPECT_EQ(said_of("ssh: connect to host fe80::1 port 22: Connection refused"),
            "fe80::1: cannot be reached: Connection refused (expected a host that ssh reaches)");
}

// No rank ends with 77: a launcher has mangled the line.
TEST(JobTranscript, TakesAMangledExitCodeForAFailedRun) {
  EXPECT_NE(thrown_as<TransportError>(
                transcript_of({"ringcast-mpi: rank 0 ends with exit code 77: broken"}), 1),
            "nothing was refused");
}

}  // namespace
}  // namespace ringcast
