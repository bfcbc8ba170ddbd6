import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// Images much larger than their view are drawn from copies that are scaled down in the background.
    @Suite(.serialized) @MainActor struct Mipmaps {
        private let window = TestWindow(width: 480, height: 360)
        private let box = View()
        private let view = ImageView()

        init() {
            box.addSubview(view)
            view.contentMode = .scaleAspectFit
            view.placement = .center(size: CGSize(width: 200, height: 150))
        }

        private func present() async throws {
            try #require(await window.present(box))
            let isLaidOut = await GTK.wait {
                view.bounds.width > 1 && gtk_widget_get_mapped(view.widget) != 0
            }
            try #require(isLaidOut)
        }

        /// 1600x1200, of which a view of 200x150 shows an eighth: six steps.
        private static func photo(_ orientation: Image.Orientation = .up) throws -> Image {
            let image = try #require(Image(data: try Fixtures.data(named: "Photos/coffee.jpg")))
            let large = image.kf.resize(to: CGSize(width: 1600, height: 1200))
            return Image(pixels: try #require(large.pixels), orientation: orientation)
        }

        private static func white(_ width: Int, _ height: Int) throws -> PixelBuffer {
            try PixelBuffer(width: width, height: height, format: .rgba8Opaque) { rows, _ in
                rows.initializeMemory(as: UInt8.self, repeating: 255)
            }
        }

        /// The levels of `image` in the texture cache, in steps.
        private func levels(of image: Image?) -> [Int] {
            image?.pixels.map { TextureCache.shared.textures(of: $0).map(\.level.steps).sorted() } ?? []
        }

        private var drawing: Drawing { Drawing(of: view, width: 200, height: 150) }

        private var isBlank: Bool { drawing[100, 75] == "00000000" }

        // MARK: Choice of the level

        @Test(
            "The level follows from the ratio of points to pixels",
            arguments: [
                (4000, 3000, 0.05, 8), (4000, 3000, 0.35, 3), (4000, 3000, 0.36, 2), (4000, 3000, 0.499, 2),
                (4000, 3000, 0.5, 0), (4000, 3000, 1, 0), (4000, 3000, 7, 0), (800, 600, 0.01, 0),
                (1024, 512, 0.1, 0), (1024, 513, 0.1, 6),
            ])
        func levelOfRatio(width: Int, height: Int, ratio: Double, steps: Int) throws {
            let demand = PixelDemand(pixels: PixelSize(width: width, height: height), ratio: ratio)
            #expect(try #require(demand).level.steps == steps)
        }

        @Test(
            "An existing level meets a demand within its range of ratios",
            arguments: [
                (8, 0.05, true), (8, 0.078, true), (8, 0.079, false), (8, 0.001, true), (4, 0.125, true),
                (4, 0.12, false), (4, 0.3125, true), (4, 0.32, false), (0, 0.5, true), (0, 0.49, false),
                (0, 9, true), (5, 0.12, true),
            ])
        func sufficientLevel(steps: Int, ratio: Double, isMet: Bool) throws {
            let demand = PixelDemand(
                pixels: PixelSize(width: 4000, height: 3000), ratio: ratio)
            #expect(try #require(demand).isMet(by: MipLevel(steps: steps)) == isMet)
        }

        @Test("The level for a demand meets it and is never enlarged")
        func chosenLevel() throws {
            for exponent in stride(from: -14.0, through: 2, by: 0.01) {
                let ratio = exp2(exponent)
                let demand = PixelDemand(pixels: PixelSize(width: 9000, height: 7000), ratio: ratio)
                let level = try #require(demand).level
                #expect(demand?.isMet(by: level) == true)
                #expect(level == .full || ratio * level.divisor <= 1.000001)
                #expect(level != .full || ratio >= 0.5)
            }
        }

        @Test(
            "The level depends on content mode, view size, screen scale and image scale",
            arguments: [
                (ViewContentMode.scaleAspectFit, 200, 200, 1, 1, 8), (.scaleAspectFill, 200, 200, 1, 1, 7),
                (.scaleToFill, 200, 300, 1, 1, 6), (.redraw, 200, 200, 1, 1, 7), (.center, 200, 200, 1, 1, 0),
                (.scaleAspectFit, 200, 200, 2, 1, 6), (.topLeft, 200, 200, 1, 4, 4),
                (.topLeft, 200, 200, 2, 4, 0),
            ] as [(ViewContentMode, Int, Int, Int, Int, Int)])
        func levelOfPlacement(
            mode: ViewContentMode, width: Int, height: Int, screenScale: Int, imageScale: Int, steps: Int
        ) throws {
            view.contentMode = mode
            let image = Image(pixels: try Self.white(4000, 3000), scale: CGFloat(imageScale))
            let place = ImagePlacement(
                of: view, size: CGSize(width: width, height: height), scaleFactor: CGFloat(screenScale))
            #expect(try #require(PixelDemand(of: image, in: place)).level.steps == steps)
        }

        @Test("Orientation and enlarging transforms count for the level")
        func transformedPlacement() throws {
            let turned = Image(pixels: try Self.white(4000, 3000), orientation: .left)
            view.contentMode = .scaleToFill
            let narrow = CGSize(width: 100, height: 400)
            var place = ImagePlacement(of: view, size: narrow, scaleFactor: 1)
            #expect(PixelDemand(of: turned, in: place)?.level.steps == 6)
            let parent = View()
            parent.addSubview(view)
            (parent.transform, view.transform) = (.init(scaleX: -2, y: 1), .init(scaleX: 1, y: 2))
            place = ImagePlacement(of: view, size: narrow, scaleFactor: 1)
            #expect(place.scale == 4)
            view.transform = .init(scaleX: 0.1, y: 0.1)
            #expect(ImagePlacement(of: view, size: narrow, scaleFactor: 1).scale == 1)
        }

        @Test("An empty view demands no level of a large image")
        func emptyPlacement() throws {
            let place = ImagePlacement(of: view, size: .zero, scaleFactor: 1)
            #expect(PixelDemand(of: Image(pixels: try Self.white(4000, 3000)), in: place) == nil)
            #expect(PixelDemand(of: try .red, in: place)?.level == .full)
            #expect(PixelDemand(of: Image(), in: place) == nil)
        }

        // MARK: Display in a window

        @Test("A large image in a window is drawn from a copy only")
        func imageInWindow() async throws {
            try await present()
            view.image = try Self.photo()
            #expect(isBlank)
            var seen: Set<[Int]> = []
            #expect(
                await GTK.wait {
                    seen.insert(levels(of: view.image))
                    return !isBlank
                })
            for _ in 0..<10 { await GTK.iterate() }
            #expect(seen.isSubset(of: [[], [6]]) && levels(of: view.image) == [6])
            #expect(view.image?.pixels?.width == 1600)
        }

        @Test("A large image set before the window opens is drawn from a copy")
        func imageBeforeWindow() async throws {
            view.image = try Self.photo()
            try await present()
            #expect(await GTK.wait { levels(of: view.image) == [6] && !isBlank })
        }

        @Test("The copy has the pixels of the resampling filter")
        func filter() async throws {
            try await present()
            view.image = try Self.photo()
            #expect(await GTK.wait { !isBlank })
            let exact = try difference(200, 150) { ($0, $1) }
            #expect(exact.worst <= 1)
            // Drawn at 0.9 of the size of the copy.
            let near = try difference(180, 135) { ($0, $1) }
            #expect(near.mean < 2)
            print(
                "mipmaps: between two levels \(near.mean) levels of 255 from the filter, at worst \(near.worst)"
            )
        }

        @Test("The copy of a rotated image has the pixels of the resampling filter")
        func rotatedFilter() async throws {
            view.placement = .center(size: CGSize(width: 150, height: 200))
            try await present()
            view.image = try Self.photo(.right)
            #expect(await GTK.wait { Drawing(of: view, width: 150, height: 200)[75, 100] != "00000000" })
            // Rotated clockwise: the left side is at the top.
            #expect(try difference(150, 200, stored: (200, 150)) { x, y in (y, 149 - x) }.worst <= 1)
            #expect(levels(of: view.image) == [6])
        }

        /// The difference per channel between the view and the image resampled to exactly its size.
        private func difference(
            _ width: Int, _ height: Int, stored: (Int, Int)? = nil, pixel: (Int, Int) -> (Int, Int)
        ) throws -> (mean: Double, worst: Int) {
            let size = PixelSize(width: stored?.0 ?? width, height: stored?.1 ?? height)
            let reference = try #require(view.image?.pixels).resized(to: size)
            let drawing = Drawing(of: view, width: width, height: height)
            var (sum, worst) = (0, 0)
            for y in 0..<height {
                for x in 0..<width {
                    let (column, row) = pixel(x, y)
                    let expected = try #require(reference.samples(x: column, y: row))
                    for (found, wanted) in zip(drawing.channels(x, y).dropFirst(), expected) {
                        sum += abs(found - wanted)
                        worst = max(worst, abs(found - wanted))
                    }
                }
            }
            return (Double(sum) / Double(width * height * 3), worst)
        }

        @Test("A growing view shows its old copy until a larger one is ready")
        func growingView() async throws {
            try await present()
            view.image = try Self.photo()
            #expect(await GTK.wait { !isBlank })
            try await resize(to: 240)
            #expect(levels(of: view.image) == [6])
            let small = try #require(view.image?.pixels.map { TextureCache.shared.textures(of: $0).first })
            var wasBlank = false
            view.placement = .center(size: CGSize(width: 400, height: 300))
            #expect(
                await GTK.wait {
                    wasBlank = wasBlank || Drawing(of: view, width: 400, height: 300)[200, 150] == "00000000"
                    return levels(of: view.image) == [4, 6]
                })
            #expect(!wasBlank && small?.level.steps == 6)
            // A view that shrinks continues to use it.
            try await resize(to: 160)
            #expect(levels(of: view.image).contains(4))
        }

        private func resize(to width: Double) async throws {
            view.placement = .center(size: CGSize(width: width, height: width * 3 / 4))
            try #require(await GTK.wait { view.bounds.width == width })
            for _ in 0..<20 { await GTK.iterate() }
        }

        @Test("Views of similar sizes share a copy")
        func sharedCopy() async throws {
            let other = ImageView()
            other.contentMode = .scaleAspectFit
            other.placement = .center(size: CGSize(width: 180, height: 135))
            box.addSubview(other)
            view.image = try Self.photo()
            other.image = view.image
            try await present()
            #expect(await GTK.wait { !isBlank })
            for _ in 0..<20 { await GTK.iterate() }
            #expect(Drawing(of: other, width: 180, height: 135)[90, 67] != "00000000")
            #expect(levels(of: view.image) == [6])
        }

        @Test("A loaded image is drawn without delay, and its copy is made again for a memory hit")
        func loadedImage() async throws {
            let rig = try LoadingRig()
            try await present()
            let provider = RawImageDataProvider(
                data: try #require(Self.photo().jpegData(compressionQuality: 0.8)), cacheKey: "photo")
            var wasBlank: [Bool] = []
            view.kf.setImage(with: provider, options: rig.options) { _ in wasBlank.append(isBlank) }
            #expect(await GTK.wait { !wasBlank.isEmpty })
            #expect(wasBlank == [false] && levels(of: view.image) == [6])

            let loaded = try #require(view.image)
            view.image = nil
            #expect(await GTK.wait { levels(of: loaded).isEmpty })
            var sources: [CacheType] = []
            view.kf.setImage(with: provider, options: rig.options) { result in
                if let type = (try? result.get())?.cacheType { sources.append(type) }
            }
            #expect(await GTK.wait { sources == [.memory] && !isBlank })
            #expect(view.image === loaded && levels(of: loaded) == [6])
        }

        @Test("A fade draws the copies of both images")
        func fade() async throws {
            let clock = ManualAnimationClock()
            view.clock = clock
            try await present()
            let (old, new) = (try Self.photo(), Image(pixels: try Self.white(1600, 1200)))
            view.image = old
            #expect(await GTK.wait { !isBlank })
            let before = drawing.channels(100, 75)
            view.transition(.fade(2)) { view.image = new }
            #expect(drawing.channels(100, 75) == before)
            #expect(await GTK.wait { levels(of: new) == [6] })
            clock.advance(by: 1)
            #expect(zip(drawing.channels(100, 75).dropFirst(), before.dropFirst()).allSatisfy { $0 > $1 })
            #expect(levels(of: old) == [6] && levels(of: new) == [6])
            clock.advance(by: 1)
            #expect(await GTK.wait { levels(of: old).isEmpty })
            #expect(drawing[100, 75] == "ffffffff")
        }

        @Test("Frames of an animation are drawn without copies")
        func frames() async throws {
            let frames = try (0..<2).map { _ in Image(pixels: try Self.white(1000, 750)) }
            try await present()
            view.image = Image.animatedImage(with: frames, duration: 60)
            #expect(!isBlank)
            #expect(levels(of: view.displayedImage) == [0])
        }

        @Test("The previous image stays until the copy of the next one is ready")
        func nextImage() async throws {
            try await present()
            view.image = try .red
            #expect(drawing[100, 75] == "ffff0000")
            let white = Image(pixels: try Self.white(1600, 1200))
            view.image = white
            var seen: Set<String> = []
            #expect(
                await GTK.wait {
                    seen.insert(drawing[100, 75])
                    return seen.contains("ffffffff")
                })
            #expect(seen == ["ffff0000", "ffffffff"])
            // After the view was empty, the previous image does not reappear.
            view.image = nil
            view.image = try .solid([0, 0, 255, 255], width: 1600, height: 1200)
            seen = []
            #expect(
                await GTK.wait {
                    seen.insert(drawing[100, 75])
                    return seen.contains("ff0000ff")
                })
            // Blank at first, unless the copy is ready before the first drawing.
            #expect(seen.isSubset(of: ["00000000", "ff0000ff"]))
        }

        @Test("A closed window releases the image and its copy")
        func closedWindow() async throws {
            weak var pixels: PixelBuffer?
            weak var texture: Texture?
            do {
                let (window, view) = (TestWindow(width: 200, height: 150), ImageView())
                try #require(await window.present(view))
                view.image = try Self.photo()
                pixels = view.image?.pixels
                #expect(await GTK.wait { levels(of: view.image) == [6] })
                texture = pixels.flatMap { TextureCache.shared.textures(of: $0).first }
                #expect(texture != nil)
                for _ in 0..<5 { await GTK.iterate() }
            }
            #expect(await GTK.wait { pixels == nil && texture == nil })
        }
    }
}
