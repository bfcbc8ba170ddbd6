import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

@Suite struct PrefetchLedgerTests {
    private func ledger(_ count: Int) -> PrefetchLedger {
        PrefetchLedger(
            (0..<count).map { number in
                .network(KF.ImageResource(downloadURL: URL(filePath: "/"), cacheKey: "\(number)"))
            })
    }

    private func keys(_ lists: PrefetchLedger.Lists) -> [[String]] {
        [lists.skipped, lists.failed, lists.completed].map { $0.map(\.cacheKey) }
    }

    /// All reports due now: the lists of each progress report, and "end" before those of the completion.
    private func reports(_ ledger: inout PrefetchLedger, withProgress: Bool = true) -> [[[String]]] {
        var reports: [[[String]]] = []
        while ledger.hasReport(withProgress: withProgress),
            let report = ledger.takeReport(withProgress: withProgress)
        {
            switch report {
            case .progress(let lists): reports.append(keys(lists))
            case .completion(let lists): reports.append([["end"]] + keys(lists))
            }
        }
        #expect(!ledger.hasReport(withProgress: withProgress))
        #expect(ledger.takeReport(withProgress: withProgress) == nil)
        return reports
    }

    @Test("An empty list is over once started and reports one completion", .behaviours("P-3"))
    func empty() {
        var ledger = ledger(0)
        #expect(!ledger.isOver && reports(&ledger).isEmpty)
        ledger.start()
        #expect(ledger.isOver && ledger.takeNext(limit: 5) == nil)
        #expect(reports(&ledger) == [[["end"], [], [], []]])
        ledger.start()
        ledger.stop()
        #expect(reports(&ledger).isEmpty && !ledger.isStopped)
    }

    @Test("While it is paused, nothing is taken; a stop fails what is left")
    func pause() {
        var ledger = ledger(3)
        ledger.isPaused = true
        ledger.start()
        #expect(ledger.takeNext(limit: 2) == nil && !ledger.isOver)
        ledger.isPaused = false
        #expect(ledger.takeNext(limit: 2) == 0)
        ledger.isPaused = true
        ledger.end(0, as: .completed)
        #expect(ledger.takeNext(limit: 2) == nil && !ledger.isOver)
        ledger.stop()
        #expect(ledger.isOver)
        #expect(reports(&ledger, withProgress: false) == [[["end"], [], ["1", "2"], ["0"]]])
    }

    @Test("Sources are taken in order, within the limit, and only after the start")
    func limit() {
        var ledger = ledger(4)
        #expect(ledger.takeNext(limit: 2) == nil)
        ledger.start()
        #expect(
            [ledger.takeNext(limit: 2), ledger.takeNext(limit: 2), ledger.takeNext(limit: 2)] == [0, 1, nil])
        ledger.end(1, as: .completed)
        #expect([ledger.takeNext(limit: 2), ledger.takeNext(limit: 2)] == [2, nil])
        #expect(ledger.takeNext(limit: 3) == 3)
        #expect(ledger.takeNext(limit: 9) == nil)
    }

    @Test("A limit below one counts as one", .behaviours("P-3"), arguments: [1, 0, -3])
    func lowLimit(limit: Int) {
        var ledger = ledger(2)
        ledger.start()
        #expect([ledger.takeNext(limit: limit), ledger.takeNext(limit: limit)] == [0, nil])
    }

    @Test("Each ended source adds one cumulative report; the completion follows the last", .behaviours("P-1"))
    func progress() {
        var ledger = ledger(3)
        ledger.start()
        while ledger.takeNext(limit: 3) != nil {}
        ledger.end(2, as: .failed)
        ledger.end(0, as: .skipped)
        #expect(reports(&ledger) == [[[], ["2"], []], [["0"], ["2"], []]])
        ledger.end(1, as: .completed)
        let last = [["0"], ["2"], ["1"]]
        #expect(reports(&ledger) == [last, [["end"]] + last])
    }

    @Test(
        "Delayed reports have the lists of their time; without progress only the completion is reported",
        .behaviours("P-1"))
    func lateReports() {
        for withProgress in [true, false] {
            var ledger = ledger(4)
            ledger.start()
            while let number = ledger.takeNext(limit: 4) {
                ledger.end(number, as: number == 1 ? .failed : .completed)
            }
            let all = [[], ["1"], ["0", "2", "3"]]
            let progress = [[[], [], ["0"]], [[], ["1"], ["0"]], [[], ["1"], ["0", "2"]], all]
            #expect(
                reports(&ledger, withProgress: withProgress) == (withProgress ? progress : []) + [
                    [["end"]] + all
                ])
        }
    }

    @Test("Progress lists grow in place unless a handler holds them")
    func growthInPlace() {
        let count = 1_000
        var ledger = ledger(count)
        ledger.start()
        while let number = ledger.takeNext(limit: count) { ledger.end(number, as: .completed) }
        var capacities: Set<Int> = []
        while case .progress(let lists) = ledger.takeReport(withProgress: true) {
            capacities.insert(lists.completed.capacity)
        }
        #expect(capacities.count < 20)
    }

    @Test("A source ends once, and only if it was taken")
    func endsOnce() {
        var ledger = ledger(2)
        ledger.start()
        ledger.end(0, as: .completed)
        #expect(ledger.lists.count == 0)
        #expect(ledger.takeNext(limit: 5) == 0 && ledger.isUnderWay(0))
        ledger.end(0, as: .failed)
        ledger.end(0, as: .completed)
        #expect(keys(ledger.lists) == [[], ["0"], []] && !ledger.isUnderWay(0))
    }

    @Test(
        "After a stop the remaining sources have failed, and those under way end normally", .behaviours("P-4")
    )
    func stop() {
        var ledger = ledger(4)
        ledger.start()
        _ = ledger.takeNext(limit: 1)
        ledger.stop()
        ledger.stop()
        #expect(ledger.isStopped && !ledger.isOver && ledger.takeNext(limit: 9) == nil)
        ledger.end(0, as: .failed)
        #expect(keys(ledger.lists) == [[], ["1", "2", "3", "0"], []])
        #expect(reports(&ledger).count == 5)
    }

    @Test(
        "A stop before the start reports nothing until the start, then all sources as failed",
        .behaviours("P-4"))
    func stopFirst() {
        var ledger = ledger(2)
        ledger.stop()
        #expect(reports(&ledger).isEmpty)
        ledger.start()
        #expect(ledger.takeNext(limit: 5) == nil)
        #expect(reports(&ledger).last == [["end"], [], ["0", "1"], []])
    }

    @Test(
        "In random sequences the counts add up, and each source and the end are reported once",
        .behaviours("P-1"),
        arguments: 0..<50)
    func randomWalks(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...40, using: &random)
        var ledger = ledger(count)
        var underWay: [Int] = []
        var collected: [[[String]]] = []
        ledger.start()
        while !ledger.isOver {
            switch Int.random(in: 0..<30, using: &random) {
            case 0: ledger.stop()
            case 1..<15:
                if let next = ledger.takeNext(limit: Int.random(in: 0...9, using: &random)) {
                    underWay.append(next)
                }
            case 15..<20: collected += reports(&ledger)
            default:
                guard let number = underWay.randomElement(using: &random) else { continue }
                underWay.removeAll { $0 == number }
                ledger.end(
                    number, as: [.skipped, .failed, .completed].randomElement(using: &random) ?? .failed)
            }
        }
        collected += reports(&ledger)
        #expect(ledger.lists.count == count)
        #expect(Set(keys(ledger.lists).joined()) == Set((0..<count).map { "\($0)" }))
        #expect(collected.count == count + 1)
        for (number, lists) in collected.dropLast().enumerated() {
            #expect(lists.joined().count == number + 1)
        }
        #expect(collected.last == [["end"]] + keys(ledger.lists))
    }
}
