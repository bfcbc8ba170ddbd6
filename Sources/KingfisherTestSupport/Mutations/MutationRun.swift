import Foundation
import Kingfisher

/// Thousands of damaged files through `Image(data:)`, one after another in this process.
package struct MutationRun: Sendable {
    /// How many files a run takes: 10,000 a format with `KINGFISHER_SOAK=1`, else a tenth.
    package static let count = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 1_000 : 10_000

    /// Files that became images, though they were damaged.
    package private(set) var images = 0
    /// The longest that one file took.
    package private(set) var slowest: (number: Int, time: Duration) = (0, .zero)
    package private(set) var time = Duration.zero

    /// Decodes `count` mutations of the fixtures called `names`.
    package init(of names: [String], count: Int = MutationRun.count) throws {
        let mutator = FileMutator(try names.map { try Fixtures.data(named: $0) })
        let clock = ContinuousClock()
        let started = clock.now
        for number in 0..<count {
            let file = mutator.file(number)
            let began = clock.now
            if let image = Image(data: file), image.pixels != nil { images += 1 }
            let spent = clock.now - began
            if spent > slowest.time { slowest = (number, spent) }
        }
        time = clock.now - started
    }

    /// Ends the process with an explanation where the run took too long or too much, or decoded nothing.
    package func check(_ format: String) {
        let peak = ProcessFacts.peakResidentBytes >> 20
        print(
            "mutations: \(format): \(Self.count) files, \(images) of them images, in \(time),"
                + " at most \(slowest.time) (number \(slowest.number)), peak \(peak) MB")
        precondition(time < .seconds(60), "more than a minute")
        precondition(peak < 300, "more than 300 MB")
        precondition(slowest.time < .seconds(5), "a file that hangs")
        precondition(images > Self.count / 100, "hardly a file reached the pixels")
    }

    /// Prints what a process of its own has said of its run.
    package static func report(_ output: [UInt8]?) {
        let lines = String(decoding: output ?? [], as: UTF8.self).split(separator: "\n")
        for line in lines where line.hasPrefix("mutations:") { print(line) }
    }
}
