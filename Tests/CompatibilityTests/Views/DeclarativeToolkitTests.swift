import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// A tree of values, which another toolkit makes again after each change of its state.
private indirect enum Node {
    case column([Node])
    case text(String)
    case image(any KFImageProtocol)
}

private final class Column: View {}

private final class Text: View {
    var text = ""
}

/// A declarative toolkit on the public API: it makes views of a tree and updates them to the next one.
@MainActor private final class Toolkit<State> {
    var state: State { didSet { render() } }
    private(set) var root: View?
    private(set) var rendered = 0
    private var isRendering = false
    private let window = TestWindow()
    private let body: @MainActor (Toolkit) -> Node

    init(_ state: State, body: @escaping @MainActor (Toolkit) -> Node) {
        (self.state, self.body) = (state, body)
        render()
    }

    private func render() {
        #expect(!isRendering, "a handler changed the state while views were updated")
        isRendering = true
        root = view(of: body(self), updating: root)
        isRendering = false
        rendered += 1
    }

    private func view(of node: Node, updating old: View?) -> View {
        switch node {
        case .column(let nodes):
            let column = old as? Column ?? Column()
            let olds = column.subviews
            let news = nodes.enumerated().map { view(of: $1, updating: $0 < olds.count ? olds[$0] : nil) }
            for old in olds where !news.contains(old) { old.removeFromSuperview() }
            for (index, new) in news.enumerated() { column.insertSubview(new, at: index) }
            return column
        case .text(let text):
            let view = old as? Text ?? Text()
            view.text = text
            return view
        case .image(let image):
            if let old = old as? ImageView, image.update(old) { return old }
            let view = image.makeView()
            window.show(view)
            return view
        }
    }
}

/// `KFImageProtocol` is enough for a toolkit to render images.
@Suite(.timeLimit(.minutes(1))) @MainActor struct DeclarativeToolkitTests {
    private struct Page {
        var path: String
        var status = "loading"
        var isAnimated = false
    }

    private let box: Sandbox
    private let toolkit: Toolkit<Page>

    init() throws {
        let box = try Sandbox()
        self.box = box
        toolkit = Toolkit(Page(path: "PNG/rgb8.png")) { toolkit in
            .column([.text(toolkit.state.status), .image(Self.image(toolkit, box))])
        }
    }

    private static func image(_ toolkit: Toolkit<Page>, _ box: Sandbox) -> any KFImageProtocol {
        let url = box.url(toolkit.state.path)
        return toolkit.state.isAnimated
            ? complete(KFAnimatedImage(url), toolkit, box) : complete(KFImage(url), toolkit, box)
    }

    private static func complete<Value: KFImageProtocol>(
        _ image: Value, _ toolkit: Toolkit<Page>, _ box: Sandbox
    ) -> any KFImageProtocol {
        image.targetCache(box.cache).downloader(box.downloader)
            .placeholder { Text() }
            .onFailureView {
                let text = Text()
                text.text = "failed"
                return text
            }
            .onSuccess { [weak toolkit] in toolkit?.state.status = "\($0.cacheType)" }
            .onFailure { [weak toolkit] _ in toolkit?.state.status = "failed" }
    }

    private var imageView: ImageView? { toolkit.root?.subviews.last as? ImageView }
    private var status: String? { (toolkit.root?.subviews.first as? Text)?.text }

    private func shows(_ status: String) async -> Bool {
        await poll { self.status == status }
    }

    @Test("A handler's change of state renders again and keeps view and image")
    func stateChange() async throws {
        let view = try #require(imageView)
        #expect(view.subviews.count == 1 && status == "loading")
        #expect(await shows("none"))
        let image = try #require(view.image)
        #expect(imageView === view && view.subviews.isEmpty)
        toolkit.state.status = "other"
        #expect(imageView === view && view.image === image)
        #expect(toolkit.rendered == 3 && box.server.requestCount() == 1)
    }

    @Test("Another URL replaces the image in the same view; one in memory does so while rendering")
    func otherURL() async throws {
        let view = try #require(imageView)
        #expect(await shows("none"))
        let first = try #require(view.image)
        (toolkit.state.path, toolkit.state.status) = ("PNG/gray8.png", "loading")
        #expect(imageView === view && view.image == nil)
        #expect(await shows("none"))
        let second = try #require(view.image)
        #expect(second !== first)
        toolkit.state.path = "PNG/rgb8.png"
        #expect(view.image === first)
        #expect(await shows("memory"))
        #expect(imageView === view && box.server.requestCount() == 2)
    }

    @Test("A failed load shows the failure view, and the next image replaces it")
    func failure() async throws {
        toolkit.state.path = "missing.png"
        #expect(await shows("failed"))
        let view = try #require(imageView)
        let host = try #require(view.subviews.first)
        #expect((host.subviews.first as? Text)?.text == "failed" && view.image == nil)
        toolkit.state.path = "PNG/gray8.png"
        #expect(await shows("none"))
        #expect(view.subviews.isEmpty && view.image != nil)
    }

    @Test("An animated image in place of a still one gets another view")
    func otherKind() async throws {
        let view = try #require(imageView)
        #expect(await shows("none"))
        (toolkit.state.path, toolkit.state.isAnimated) = ("Photos/cat.gif", true)
        let animated = try #require(imageView as? AnimatedImageView)
        #expect(animated !== view && view.superview == nil)
        #expect(await poll { animated.image != nil })
    }
}
