import Foundation
import Kingfisher
import Testing

@Suite struct ViewContentModeTests {
    /// An image of 20 x 10 points in a view of 100 x 100.
    @Test(
        "Each mode gives the expected frame",
        arguments: [
            (ViewContentMode.scaleToFill, CGRect(x: 0, y: 0, width: 100, height: 100)),
            (.redraw, CGRect(x: 0, y: 0, width: 100, height: 100)),
            (.scaleAspectFit, CGRect(x: 0, y: 25, width: 100, height: 50)),
            (.scaleAspectFill, CGRect(x: -50, y: 0, width: 200, height: 100)),
            (.center, CGRect(x: 40, y: 45, width: 20, height: 10)),
            (.top, CGRect(x: 40, y: 0, width: 20, height: 10)),
            (.bottom, CGRect(x: 40, y: 90, width: 20, height: 10)),
            (.left, CGRect(x: 0, y: 45, width: 20, height: 10)),
            (.right, CGRect(x: 80, y: 45, width: 20, height: 10)),
            (.topLeft, CGRect(x: 0, y: 0, width: 20, height: 10)),
            (.topRight, CGRect(x: 80, y: 0, width: 20, height: 10)),
            (.bottomLeft, CGRect(x: 0, y: 90, width: 20, height: 10)),
            (.bottomRight, CGRect(x: 80, y: 90, width: 20, height: 10)),
        ])
    func frames(_ mode: ViewContentMode, _ expected: CGRect) {
        let frame = mode.frame(of: CGSize(width: 20, height: 10), in: CGSize(width: 100, height: 100))
        #expect(frame == expected)
    }

    @Test("The test covers every mode") func coverage() {
        #expect(ViewContentMode.allCases.count == 13)
        #expect(ViewContentMode.scaleAspectFill.rawValue == 2 && ViewContentMode.bottomRight.rawValue == 12)
    }

    @Test("An empty image or view gives an empty frame", arguments: ViewContentMode.allCases)
    func emptySizes(_ mode: ViewContentMode) {
        let size = CGSize(width: 20, height: 10)
        #expect(mode.frame(of: .zero, in: size).isEmpty)
        #expect(mode.frame(of: size, in: CGSize(width: 0, height: 5)).isEmpty)
    }
}
