import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Images with variants for dark and high-contrast desktops.
@Suite @MainActor struct ImageVariantViewTests {
    private let renderer = RecordingRenderer()

    @Test(
        "Each appearance has its variant or a fallback",
        arguments: [
            ("DHB", "-DHB"), ("DH", "-DHD"), ("D", "-D-D"), ("H", "--HH"), ("B", "---B"), ("", "----"),
        ])
    func selection(variants: String, expected: String) throws {
        var images: [Character: Image] = [:]
        for letter in variants { images[letter] = try .blank() }
        let image = try Image.blank().withVariants(
            dark: images["D"], highContrast: images["H"], highContrastDark: images["B"])
        images["-"] = image
        for (index, letter) in expected.enumerated() {
            let appearance = ImageAppearance(isDark: index % 2 == 1, isHighContrast: index > 1)
            #expect(image.variant(for: appearance) === images[letter], "\(appearance)")
        }
    }

    @Test("A view shows the variant for its environment, and redraws when that changes") func view() throws {
        let (view, dark) = (ImageView(), try Image.blank())
        view.renderer = renderer
        let image = try Image.blank(width: 9).withVariants(dark: dark)
        view.image = image
        #expect(view.displayedImage === image)
        renderer.environment.appearance.isDark = true
        _ = renderer.takeChanges()
        view.environmentDidChange()
        #expect(view.displayedImage === dark && view.image === image)
        #expect(renderer.takeChanges().contains(.content))
    }

    @Test("A placeholder and a failure image change with the appearance") func placeholderAndFailure()
        async throws
    {
        let rig = try ImageViewLoadingRig(Bench(serving: TestImages.garbage))
        rig.view.renderer = renderer
        let (dark, darkFailure) = (try Image.blank(), try Image.blank())
        let placeholder = try Image.blank().withVariants(dark: dark)
        let failure = try Image.blank().withVariants(dark: darkFailure)
        rig.bench.stub.hold()
        let load = rig.load(placeholder: placeholder, [.onFailureImage(failure)])
        #expect(rig.view.displayedImage === placeholder)
        renderer.environment.appearance.isDark = true
        #expect(rig.view.displayedImage === dark)
        rig.bench.stub.release()
        _ = try await load.result()
        #expect(rig.view.image === failure && rig.view.displayedImage === darkFailure)
    }
}
