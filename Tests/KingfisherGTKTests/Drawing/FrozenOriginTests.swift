import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// A transition starts from a snapshot of the view and of its subviews, such as a placeholder.
    @Suite(.serialized) @MainActor struct FrozenOrigins {
        let window = TestWindow()
        let view = ImageView()
        let clock = ManualAnimationClock()

        init() { view.clock = clock }

        /// The view at its size in the window.
        private var drawing: Drawing {
            Drawing(of: view, width: Int(view.bounds.width), height: Int(view.bounds.height))
        }

        private func transition(
            _ options: AnimationOptions = .transitionCrossDissolve, changes: () -> Void
        ) {
            view.transition(
                .custom(duration: 2, options: [options, .curveLinear], animations: nil, completion: nil),
                changes: changes)
        }

        /// Shows the view with a label in it.
        private func present(_ text: String) async throws -> LabelPlaceholder {
            let label = LabelPlaceholder(text)
            view.addSubview(label)
            try #require(await window.present(view))
            return label
        }

        @Test("A removed label fades out as it was at the start")
        func removedLabel() async throws {
            let label = try await present("Please wait")
            let before = drawing
            #expect(before != Drawing(of: ImageView(), width: before.width, height: before.height))

            let red = try Image.red
            transition {
                label.removeFromSuperview()
                view.image = red
            }
            #expect(drawing == before)
            label.text = "Gone"
            for _ in 0..<10 { await GTK.iterate() }
            #expect(drawing == before)

            clock.advance(by: 1)
            let middle = drawing
            for y in 0..<before.height {
                for x in 0..<before.width {
                    let expected = zip(before.channels(x, y), [255, 255, 0, 0]).map { ($0 + $1) / 2 }
                    let isBlend = zip(middle.channels(x, y), expected).allSatisfy { abs($0 - $1) <= 2 }
                    guard isBlend else {
                        Issue.record("(\(x), \(y)): \(middle.channels(x, y)), not \(expected)")
                        return
                    }
                }
            }
            clock.advance(by: 1)
            #expect(
                Set((0..<before.height).map { drawing.row($0) }) == [
                    String(repeating: "R", count: before.width)
                ])
        }

        /// GTK does not draw a widget with a pending layout, which each change of a label's text causes.
        @Test("A label that changed just before the transition fades out as last drawn")
        func changedLabel() async throws {
            let label = try await present("99 %")
            let last = drawing
            label.text = "1 %"
            for _ in 0..<10 { await GTK.iterate() }
            #expect(drawing != last)

            label.text = "99 %"
            transition { label.removeFromSuperview() }
            #expect(drawing == last)
        }

        @Test("A load fades from its placeholder to the image")
        func loadPlaceholder() async throws {
            let folder = TestFolders.unused()
            defer { try? FileManager.default.removeItem(at: folder) }
            let cache = try ImageCache(name: "frozen", cacheDirectoryURL: folder)
            let label = LabelPlaceholder("Please wait")
            let gate = AsyncStream<Void>.makeStream()
            let provider = GatedProvider(data: try #require(try Image.red.pngData()), gate: gate.stream)
            try #require(await window.present(view))
            var ends = 0
            view.kf.setImage(
                with: provider, placeholder: label, options: [.targetCache(cache), .transition(.fade(2))]
            ) { _ in ends += 1 }
            #expect(view.image == nil)
            #expect(await GTK.wait { gtk_widget_get_width(label.widget) > 1 })
            for _ in 0..<5 { await GTK.iterate() }
            let before = drawing
            gate.continuation.finish()
            #expect(await GTK.wait { view.runningTransition != nil })
            #expect(label.superview == nil && view.image != nil && ends == 0)
            #expect(drawing == before)
            clock.advance(by: 2)
            #expect(await GTK.wait { ends == 1 })
            #expect(drawing[40, 40] == "ffff0000")
        }

        @Test("A removed spinner does not move during the transition")
        func spinner() async throws {
            let spinner = ActivityIndicatorView()
            spinner.startAnimating()
            view.addSubview(spinner)
            try #require(await window.present(view))
            // GTK 4.24 fades a spinner in.
            let empty = Drawing(of: ImageView(), width: drawing.width, height: drawing.height)
            #expect(await GTK.wait { drawing != empty })
            transition { spinner.removeFromSuperview() }
            let first = drawing
            #expect(first != empty)
            for _ in 0..<30 { await GTK.iterate() }
            #expect(drawing == first)
        }

        @Test(
            "The origin of a flip is a snapshot, too",
            arguments: [AnimationOptions.transitionFlipFromLeft, .transitionFlipFromBottom])
        func flip(_ options: AnimationOptions) async throws {
            let inner = ImageView(image: try .blue)
            view.addSubview(inner)
            try #require(await window.present(view))
            let (red, green) = (try Image.red, try Image.solid([0, 255, 0, 255]))
            transition(options) {
                inner.removeFromSuperview()
                view.image = red
            }
            inner.image = green
            clock.advance(by: 2.0 / 3)
            #expect(line(options) == "....BBBBBBBB....")
            clock.advance(by: 2.0 / 3)
            #expect(line(options) == "....RRRRRRRR....")
        }

        /// Drawn at 16 by 16 points, so the snapshot of the window's size is scaled with the view.
        private func line(_ options: AnimationOptions) -> String {
            let drawing = Drawing(of: view, width: 16, height: 16)
            return options == .transitionFlipFromLeft ? drawing.row(8) : drawing.column(8)
        }

        @Test("Subviews that stay flip with the view")
        func remainingSubviews() async throws {
            let badge = ImageView(image: try .solid([0, 255, 0, 255]))
            view.image = try .red
            view.addSubview(badge)
            badge.placement = .center(size: CGSize(width: 40, height: 40))
            try #require(await window.present(view))
            try #require(view.bounds.size == CGSize(width: 80, height: 80))
            let blue = try Image.blue
            transition(.transitionFlipFromLeft) { view.image = blue }
            clock.advance(by: 2.0 / 3)
            func run(_ character: String, _ count: Int) -> String {
                String(repeating: character, count: count)
            }
            let sides = run(".", 20)
            #expect(drawing.row(40) == sides + run("R", 10) + run("G", 20) + run("R", 10) + sides)
            clock.advance(by: 2.0 / 3)
            #expect(drawing.row(40) == sides + run("B", 10) + run("G", 20) + run("B", 10) + sides)
        }

        @Test("The snapshot is scaled with a view that grows")
        func resizedView() async throws {
            view.addSubview(ImageView(image: try .blue))
            try #require(await window.present(view))
            transition { view.subviews.first?.removeFromSuperview() }
            let wide = Drawing(of: view, width: 120, height: 40)
            #expect(Set((0..<40).map { wide.row($0) }) == [String(repeating: "B", count: 120)])
        }
    }
}

/// A GtkLabel as placeholder.
@MainActor private final class LabelPlaceholder: View, Placeholder {
    private let label: UnsafeMutablePointer<GtkWidget>

    init(_ text: String) {
        label = gtk_label_new(text)
        super.init()
        renderer = WidgetAdapter(label, of: self)
    }

    var text = "" {
        didSet { gtk_label_set_text(OpaquePointer(label), text) }
    }

    func add(to imageView: ImageView) { imageView.addSubview(self) }

    func remove(from imageView: ImageView) { removeFromSuperview() }
}

/// Returns its data after its gate was opened.
private struct GatedProvider: ImageDataProvider {
    let cacheKey = "gated"
    let data: Data
    let gate: AsyncStream<Void>

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        Task {
            for await _ in gate {}
            handler(.success(data))
        }
    }
}
