import Foundation
import Kingfisher

/// Decodes thousands of corrupt files with `Image(data:)`, one after another in this process.
package struct MutationRun: Sendable {
    /// The number of files per run: 10,000 per format with `KINGFISHER_SOAK=1`, otherwise 1,000.
    package static let count = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] == nil ? 1_000 : 10_000

    package private(set) var images = 0
    package private(set) var slowest: (number: Int, time: Duration) = (0, .zero)
    package private(set) var time = Duration.zero

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

    /// Traps if the run took too much time or memory, or decoded hardly any file.
    package func check(_ format: String) {
        let peak = ProcessStatus.peakResidentBytes >> 20
        print(
            "mutations: \(format): \(Self.count) files, \(images) of them images, in \(time),"
                + " at most \(slowest.time) (number \(slowest.number)), peak \(peak) MB")
        precondition(time < .seconds(60), "more than a minute")
        precondition(peak < 300, "more than 300 MB")
        precondition(slowest.time < .seconds(5), "a file that hangs")
        precondition(images > Self.count / 100, "hardly a file reached the pixels")
    }

    package static func report(_ output: [UInt8]?) {
        let lines = String(decoding: output ?? [], as: UTF8.self).split(separator: "\n")
        for line in lines where line.hasPrefix("mutations:") { print(line) }
    }
}
