// SPDX-License-Identifier: MIT
// The well-known programs of two to four threads, in the notation of notation.cpp.
#include "litmus.hpp"

namespace model {
namespace {

const outcomes all_of_two{"0 0", "0 1", "1 0", "1 1"};

const litmus_family message_passing(
    "MessagePassing",
    {
        {"Relaxed", all_of_two, "x = 1; y = 1 | a = y; b = x"},
        {"ReleaseAcquire", {"0 0", "0 1", "1 1"}, "x = 1; y.release = 1 | a = y.acquire; b = x"},
        {"ReleaseOnly", all_of_two, "x = 1; y.release = 1 | a = y; b = x"},
        {"AcquireOnly", all_of_two, "x = 1; y = 1 | a = y.acquire; b = x"},
        {"Fences", {"0 0", "0 1", "1 1"}, "x = 1; fence.release; y = 1 | a = y; fence.acquire; b = x"},
        {"FenceAndAcquire", {"0 0", "0 1", "1 1"}, "x = 1; fence.release; y = 1 | a = y.acquire; b = x"},
        {"ReleaseAndFence", {"0 0", "0 1", "1 1"}, "x = 1; y.release = 1 | a = y; fence.acquire; b = x"},
        {"PlainData", {"1 1"}, "p = 1; y.release = 1 | a = y.acquire; a == 1; b = p"},
        {"PlainDataRelaxedStore", {}, "p = 1; y = 1 | a = y.acquire; a == 1; b = p", "data race"},
        {"PlainDataRelaxedLoad", {}, "p = 1; y.release = 1 | a = y; a == 1; b = p", "data race"},
        {"PlainDataBehindTheRelease", {}, "y.release = 1; p = 1 | a = y.acquire; a == 1; b = p", "data race"},
        // Fences that are sequentially consistent order loads, not plain data.
        {"PlainDataFencesAlone", {}, "p = 1; fence | fence; b = p", "data race"},
    });

// A later relaxed store, also of the releasing thread itself, is no part of the release sequence (since C++20).
const litmus_family release_sequences(
    "ReleaseSequences",
    {
        {"GoOnWithAnExchange", {"2 1"}, "x = 1; y.release = 1 | y 1 -> 2 | a = y.acquire; a == 2; b = x"},
        {"EndAtAStore",
         {"2 0", "2 1"},
         "x = 1; y.release = 1 | c = y; c == 1; y = 2 | a = y.acquire; a == 2; b = x => a b"},
        {"EndAtAnOwnStore", {"2 0", "2 1"}, "x = 1; y.release = 1; y = 2 | a = y.acquire; a == 2; b = x"},
    });

const litmus_family write_to_read_causality(
    "WriteToReadCausality",
    {
        {"Relaxed", {"0", "1"}, "x = 1 | a = x; a == 1; y = 1 | b = y; b == 1; c = x => c"},
        {"ReleaseAcquire", {"1"}, "x = 1 | a = x; a == 1; y.release = 1 | b = y.acquire; b == 1; c = x => c"},
    });

const litmus_family store_buffering(
    "StoreBuffering",
    {
        {"Relaxed", all_of_two, "x = 1; a = y | y = 1; b = x"},
        {"ReleaseAcquire", all_of_two, "x.release = 1; a = y.acquire | y.release = 1; b = x.acquire"},
        {"SeqCst", {"0 1", "1 0", "1 1"}, "x.seq_cst = 1; a = y.seq_cst | y.seq_cst = 1; b = x.seq_cst"},
        {"SeqCstStoreOnly", all_of_two, "x.seq_cst = 1; a = y.acquire | y.seq_cst = 1; b = x.acquire"},
        {"Fences", {"0 1", "1 0", "1 1"}, "x = 1; fence; a = y | y = 1; fence; b = x"},
        {"OneFence", all_of_two, "x = 1; fence; a = y | y = 1; b = x"},
        // The order S has operations and fences in it.
        {"FenceAgainstSeqCst", {"0 1", "1 0", "1 1"}, "x.seq_cst = 1; a = y.seq_cst | y = 1; fence; b = x"},
        {"LightAndHeavyFence", {"0 1", "1 0", "1 1"}, "x = 1; light; a = y | y = 1; heavy; b = x"},
        {"LightAndFullFence", all_of_two, "x = 1; light; a = y | y = 1; fence; b = x"},
        {"ExchangesOfOneObject",
         {"0 1", "1 0", "1 1"},
         "x = 1; z.acq_rel <-> 1; a = y | y = 1; z.acq_rel <-> 2; b = x"},
    });

const litmus_family r_shape(
    "R", {
             {"ReleaseAcquire",
              {"0 1", "0 2", "1 1", "1 2"},
              "x.release = 1; y.release = 1 | y.release = 2; a = x.acquire => a y"},
             {"SeqCst", {"0 1", "1 1", "1 2"}, "x.seq_cst = 1; y.seq_cst = 1 | y.seq_cst = 2; a = x.seq_cst => a y"},
             {"Fences", {"0 1", "1 1", "1 2"}, "x = 1; fence; y = 1 | y = 2; fence; a = x => a y"},
         });

// The language allows 1 1 as well. Here every load reads a store that has run.
const litmus_family load_buffering("LoadBuffering",
                                   {{"IsNotModelled", {"0 0", "0 1", "1 0"}, "a = x; y = 1 | b = y; x = 1"}});

const litmus_family coherence(
    "Coherence",
    {
        {"ReadRead", {"0 0", "0 1", "0 2", "1 1", "1 2", "2 2"}, "x = 1; x = 2 | a = x; b = x"},
        // Two readers agree on the order of two writes.
        {"ReadReadByTwo", {"2"}, "x = 1 | x = 2 | a = x; a == 1; b = x; b == 2 | c = x; c == 2; d = x => d"},
        {"WriteRead", {"1 1", "1 2", "2 2"}, "x = 1; a = x | x = 2 => a x"},
        {"ReadWrite", {"0 1", "0 2", "2 1"}, "a = x; x = 1 | x = 2 => a x"},
    });

const litmus_family two_plus_two_writes(
    "TwoPlusTwoWrites",
    {
        {"Relaxed", {"1 1", "1 2", "2 1", "2 2"}, "x = 1; y = 2 | y = 1; x = 2 => x y"},
        {"Release", {"1 1", "1 2", "2 1", "2 2"}, "x.release = 1; y.release = 2 | y.release = 1; x.release = 2 => x y"},
        {"SeqCst", {"1 2", "2 1", "2 2"}, "x.seq_cst = 1; y.seq_cst = 2 | y.seq_cst = 1; x.seq_cst = 2 => x y"},
        {"Fences", {"1 2", "2 1", "2 2"}, "x = 1; fence; y = 2 | y = 1; fence; x = 2 => x y"},
    });

const litmus_family s_shape(
    "S", {
             {"Relaxed", {"0 1", "0 2", "1 1", "1 2"}, "x = 2; y = 1 | a = y; x = 1 => a x"},
             {"ReleaseAcquire", {"0 1", "0 2", "1 1"}, "x = 2; y.release = 1 | a = y.acquire; x = 1 => a x"},
         });

// The readers see the writes in two orders if the outcome is 0 0.
const litmus_family independent_reads(
    "IndependentReads",
    {
        {"Relaxed", all_of_two, "x = 1 | y = 1 | a = x; a == 1; b = y | c = y; c == 1; d = x => b d"},
        {"ReleaseAcquire", all_of_two,
         "x.release = 1 | y.release = 1 | a = x.acquire; a == 1; b = y.acquire | c = y.acquire; c == 1; d = x.acquire "
         "=> b d"},
        {"SeqCst",
         {"0 1", "1 0", "1 1"},
         "x.seq_cst = 1 | y.seq_cst = 1 | a = x.seq_cst; a == 1; b = y.seq_cst | c = y.seq_cst; c == 1; d = x.seq_cst "
         "=> b d"},
        {"Fences",
         {"0 1", "1 0", "1 1"},
         "x = 1 | y = 1 | a = x; a == 1; fence; b = y | c = y; c == 1; fence; d = x => b d"},
    });

const litmus_family updates("Updates", {
                                           {"NoneIsLost", {"3"}, "x += 1 | x += 1 | x += 1 => x"},
                                           // A store comes before or after a read-modify-write, never within it.
                                           {"NothingComesBetween", {"0 1", "1 11"}, "a = x += 10 | x = 1 => a x"},
                                       });

}  // namespace
}  // namespace model
