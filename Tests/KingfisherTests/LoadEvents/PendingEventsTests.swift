import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

@Suite struct PendingEventsTests {
    private let image: Image
    private let result: RetrieveImageResult

    init() throws {
        image = try TestImages.image
        let source = Source.network(Bench.freshURL())
        result = .cached(image, .memory, source, for: source, KingfisherParsedOptionsInfo(nil))
    }

    private func name(_ taken: PendingEvents.Taken?) -> String {
        switch taken {
        case nil: "nothing"
        case .success(nil): "end"
        case .success(.progress(let received, let total)): "\(received)/\(total)"
        case .success(.preview(let image)): "preview \(Int(image.size.width))"
        case .success(.finished): "finished"
        case .failure(let error): error.reasonName
        }
    }

    private func all(_ events: inout PendingEvents) -> [String] {
        var names: [String] = []
        while true {
            names.append(name(events.take()))
            if ["nothing", "end"].contains(names.last) { return names }
        }
    }

    private func preview(_ width: Int) throws -> ImageLoadingEvent {
        .preview(image.kf.resize(to: CGSize(width: width, height: 1)))
    }

    @Test("Only the latest progress and the latest preview are retained, in order") func latest() throws {
        var events = PendingEvents()
        #expect(all(&events) == ["nothing"])
        #expect(events.addProgress(received: 1, total: 9, round: 1).isEmpty)
        #expect(try events.add(preview(1)).isEmpty)
        #expect(events.addProgress(received: 2, total: 9, round: 1).count == 1)
        #expect(try events.add(preview(2)).count == 1)
        #expect(events.addProgress(received: 3, total: 9, round: 1).count == 1)
        #expect(all(&events) == ["preview 2", "3/9", "nothing"])
    }

    @Test("The end comes after the retained events, once") func end() throws {
        var events = PendingEvents()
        _ = events.addProgress(received: 1, total: 9, round: 1)
        _ = try events.add(preview(1))
        #expect(events.end(with: .success(result)).isEmpty)
        #expect(events.end(with: .failure(.unprocessable)).isEmpty)
        #expect(!events.acceptsEvents)
        #expect(try events.add(preview(2)).count == 1, "Nothing follows the end")
        #expect(events.addProgress(received: 2, total: 9, round: 1).count == 1)
        #expect(all(&events) == ["1/9", "preview 1", "finished", "end"])
        #expect(name(events.take()) == "end")
    }

    @Test("An error is delivered once") func error() {
        var events = PendingEvents()
        _ = events.addProgress(received: 1, total: 9, round: 1)
        _ = events.end(with: .failure(.unprocessable))
        #expect(events.end(with: .success(result)).count == 1)
        #expect(all(&events) == ["1/9", "processingFailed", "end"])
    }

    @Test("Progress that another thread has passed is dropped; a later transfer starts again")
    func outdatedProgress() {
        var events = PendingEvents()
        var names: [String] = []
        for (received, round) in [(5, 1), (5, 1), (3, 1), (6, 1), (2, 2), (9, 1), (4, 2)] {
            _ = events.addProgress(received: Int64(received), total: 9, round: round)
            names.append(name(events.take()))
        }
        #expect(names == ["5/9", "nothing", "nothing", "6/9", "2/9", "nothing", "4/9"])
    }

    @Test("A cancellation drops the retained events, but not the image") func dropping() throws {
        var events = PendingEvents()
        _ = try events.add(preview(1))
        #expect(events.drop().count == 1)
        #expect(try events.add(preview(2)).count == 1)
        #expect(all(&events) == ["nothing"])
        _ = events.end(with: .success(result))
        #expect(events.drop().isEmpty)
        #expect(all(&events) == ["finished", "end"])
    }
}
