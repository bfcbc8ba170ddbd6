import Foundation
import KingfisherImage
import Testing

extension KingfisherWrapper where Base == String {
    /// A member such as programs add.
    fileprivate var pictureURL: URL? { URL(string: "https://pictures.invalid/" + base) }
}

@Suite struct WrapperTests {
    @Test func programsAddMembersForText() {
        #expect("wren.png".kf.pictureURL?.absoluteString == "https://pictures.invalid/wren.png")
    }
}
