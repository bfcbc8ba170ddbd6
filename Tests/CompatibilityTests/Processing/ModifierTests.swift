import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ModifierTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    private func load(_ modifier: any ImageModifier) async throws -> RetrieveImageResult {
        try await box.manager.retrieveImage(
            with: box.url("PNG/rgb8.png"), options: [.imageModifier(modifier)])
    }

    @Test("A rendering mode modifier makes a template and does not change the cached image")
    func renderingMode() async throws {
        let modifier = RenderingModeImageModifier(renderingMode: .alwaysTemplate)
        #expect(try await load(modifier).image.renderingMode == .alwaysTemplate)
        let cached = try await box.cache.retrieveImage(forKey: box.url("PNG/rgb8.png").cacheKey).image
        #expect(cached?.renderingMode == .automatic)
        let again = try await load(modifier)
        #expect(again.cacheType == .memory && again.image.renderingMode == .alwaysTemplate)
    }

    @Test("A flipping modifier marks the image for right-to-left layout")
    func flips() async throws {
        let value = try await load(FlipsForRightToLeftLayoutDirectionImageModifier())
        #expect(value.image.flipsForRightToLeftLayoutDirection)
    }

    @Test("An alignment modifier sets the alignment rectangle")
    func alignment() async throws {
        let insets = EdgeInsets(top: 1, left: 2, bottom: 3, right: 4)
        let value = try await load(AlignmentRectInsetsImageModifier(alignmentInsets: insets))
        #expect(value.image.alignmentRectInsets == insets)
    }

    @Test("A custom modifier changes the image, and a throwing one does not")
    func own() async throws {
        struct Failure: Error {}
        let small = AnyImageModifier { $0.kf.resize(to: CGSize(width: 3, height: 2)) }
        #expect(try await load(small).image.size == CGSize(width: 3, height: 2))
        let failing = AnyImageModifier { _ in throw Failure() }
        #expect(try await load(failing).image.size == CGSize(width: 33, height: 21))
    }
}
