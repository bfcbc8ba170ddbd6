import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// The table of loads of objects that are not views.
@Suite @MainActor struct AssociatedLoadsTests {
    private final class Thing {}

    /// A new object at the address of a released one that was in the table.
    private func reuse(_ loads: inout AssociatedLoads) throws -> Thing {
        var known: Set<ObjectIdentifier> = []
        for _ in 0..<10_000 {
            let thing = Thing()
            if !known.insert(ObjectIdentifier(thing)).inserted { return thing }
            loads.load(of: thing).begin(Source.Identifier.next())
        }
        throw CancellationError()
    }

    @Test("An object has one load") func oneLoad() {
        var loads = AssociatedLoads()
        let (first, second) = (Thing(), Thing())
        #expect(loads[first] == nil)
        let load = loads.load(of: first)
        #expect(loads.load(of: first) === load && loads[first] === load)
        #expect(loads.load(of: second) !== load && loads.count == 2)
    }

    @Test(
        "An object at a released object's address does not inherit its load",
        .disabled(
            if: ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil, "addresses are not reused"))
    func reusedAddress() throws {
        var loads = AssociatedLoads(smallestSweep: .max)
        let thing = try reuse(&loads)
        #expect(loads[thing] == nil)
        #expect(loads.load(of: thing).identifier == nil)
    }

    /// Large enough that later objects cannot occupy the addresses of all of these.
    private final class LargeThing {
        let room = InlineArray<64, Int>(repeating: 0)
    }

    @Test("Released objects are swept, live ones are retained") func sweep() {
        var loads = AssociatedLoads(smallestSweep: 8)
        let alive = (0..<20).map { _ in Thing() }
        let expected = alive.map { loads.load(of: $0) }
        do {
            let dying = (0..<200).map { _ in LargeThing() }
            for thing in dying { _ = loads.load(of: thing) }
            #expect(loads.count == 220)
        }
        let new = (0..<500).map { _ in Thing() }
        for thing in new { _ = loads.load(of: thing) }
        #expect(loads.count == 520)
        for (thing, load) in zip(alive, expected) { #expect(loads[thing] === load) }
    }

    /// A class with a custom image setter.
    private final class Tile: KingfisherImageSettable {
        private(set) var settings: [(image: Image?, scale: CGFloat)] = []

        func setImage(_ image: Image?, options: KingfisherParsedOptionsInfo) {
            settings.append((image, options.scaleFactor))
        }

        func getImage() -> Image? { settings.last?.image }
    }

    @Test("A settable class receives the options") func settableClass() async throws {
        let (tile, bench, placeholder) = (Tile(), try Bench(), try Image.blank())
        let done = Inbox<ImageViewLoadingRig.Outcome>()
        tile.kf.setImage(
            with: bench.url, placeholder: placeholder,
            options: [.downloader(bench.downloader), .targetCache(bench.cache), .scaleFactor(3)]
        ) { done.put($0) }
        let image = try await done.first().get().image
        #expect(tile.settings.map(\.scale) == [3, 3])
        #expect(tile.settings.first?.image === placeholder && tile.settings.last?.image === image)
    }
}
