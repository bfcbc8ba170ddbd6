import CGtk
import Foundation
import Kingfisher
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Lengths and positions that are not finite or exceed any screen.
    @Suite(.serialized) @MainActor struct InvalidGeometry {
        nonisolated private static let invalid: [CGFloat] = [.nan, .infinity, -.infinity, 1e300, -1e300]
        let window = TestWindow()

        @Test("Lengths and offsets are limited to 32767 points, and those that are not finite are 0")
        func points() {
            let lengths: [(CGFloat, Int32)] = [
                (0, 0), (1.9, 1), (-1, 0), (40_000, 32_767), (.nan, 0), (.infinity, 0), (-.infinity, 0),
                (1e300, 32_767),
            ]
            for (length, points) in lengths { #expect(Int32(points: length) == points) }
            let offsets: [(CGFloat, Int32)] = [
                (0, 0), (-1.9, -1), (7, 7), (.nan, 0), (.infinity, 0), (1e300, 32_767), (-1e300, -32_767),
            ]
            for (offset, points) in offsets { #expect(Int32(offset: offset) == points) }
        }

        @Test("Subviews are drawn after an invalid placement", arguments: invalid)
        func subviews(_ value: CGFloat) async throws {
            let (view, child) = (ImageView(image: try .red), ImageView(image: try .blue))
            view.addSubview(child)
            let (size, point) = (CGSize(width: value, height: value), CGPoint(x: value, y: value))
            try #require(await window.present(view))
            for placement in [.center(size: size), .center(offset: point)] as [ViewPlacement] {
                child.placement = placement
                _ = try await Screenshot.take(of: view)
            }
            child.placement = .fill
            #expect(try await Screenshot.take(of: view).box(of: "ff0000ff") != nil)
        }

        /// A size strategy may divide by the size of an empty view.
        @Test("An indicator may return an infinite size")
        func indicatorSize() async throws {
            final class Half: Indicator {
                let view = View()
                func startAnimatingView() {}
                func stopAnimatingView() {}
                var centerOffset: CGPoint { CGPoint(x: CGFloat.infinity, y: 0) }
                func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
                    let bounds = imageView.bounds
                    return .size(CGSize(width: bounds.width / bounds.height, height: 1 / bounds.height))
                }
            }
            let view = ImageView()
            view.kf.indicatorType = .custom(indicator: Half())
            view.kf.setImage(with: .provider(GatedRed(gate: AsyncStream.makeStream().stream)))
            #expect(await window.present(view))
            view.kf.cancelDownloadTask()
        }

        @Test("A view with an invalid translation is not drawn", arguments: invalid)
        func transforms(_ value: CGFloat) throws {
            let view = ImageView(image: try .red)
            view.transform = CGAffineTransform(translationX: value, y: 0)
            #expect(DrawnNode(of: view, width: 4, height: 4) == nil)
            view.transform = CGAffineTransform(translationX: 0, y: value)
            #expect(DrawnNode(of: view, width: 4, height: 4) == nil)
        }

        @Test("A label accepts an invalid font size and colour", arguments: invalid)
        func labels(_ value: CGFloat) async throws {
            let label = Label("Hello")
            label.fontSize = value
            label.textColor = Color(red: value, green: value, blue: value, alpha: value)
            try #require(await window.present(label))
            label.fontSize = 12
            _ = try await Screenshot.take(of: label)
        }

        @Test("An image in text is drawn after invalid bounds", arguments: invalid)
        func imagesInText(_ value: CGFloat) async throws {
            let (text, attachment) = (TextView("Text "), TextAttachment(image: try .red))
            text.append(attachment)
            try #require(await window.present(text))
            for bounds in [
                CGRect(x: 0, y: value, width: 4, height: 4), CGRect(x: 0, y: 0, width: value, height: 4),
            ] {
                attachment.bounds = bounds
                for _ in 0..<5 { await GTK.iterate() }
            }
            attachment.bounds = .zero
            #expect(await GTK.wait { Screenshot(of: text)?.box(of: "ffff0000") != nil })
        }
    }
}
